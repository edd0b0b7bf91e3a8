"""Facts about rate limits (§1.2)."""

from __future__ import annotations

from discord_twin import DrivenClock, Limit
from twin.api import Answer, Api
from twin.facts.table import fact


def clock_of(api: Api) -> DrivenClock:
    assert isinstance(api.twin.clock, DrivenClock)
    return api.twin.clock


async def burst(api: Api, count: int) -> list[Answer]:
    return [await api.send() for _ in range(count)]


async def hook_burst(api: Api, path: str, count: int) -> list[Answer]:
    return [await api.post(path, {"content": "x"}) for _ in range(count)]


@fact(
    "L-01", "creates: 5 per 5 s and channel, told in headers", "alexemanuelol/rustplusplus#475", limited=True
)
async def creates(api: Api) -> None:
    answers = await burst(api, 6)
    assert [one.status for one in answers] == [200] * 5 + [429]
    assert [one.headers["X-RateLimit-Remaining"] for one in answers] == ["4", "3", "2", "1", "0", "0"]
    assert answers[0].headers["X-RateLimit-Limit"] == "5"
    assert answers[4].headers["X-RateLimit-Reset-After"] == "5.000"


@fact(
    "L-02",
    "every answer names bucket, limit, remaining, reset and reset-after",
    "DD:topics/rate-limits.mdx",
    limited=True,
)
async def header_names(api: Api) -> None:
    headers = (await api.send()).headers
    reset, after = float(headers["X-RateLimit-Reset"]), float(headers["X-RateLimit-Reset-After"])
    assert abs(reset - after - clock_of(api).now()) < 0.01
    assert len(headers["X-RateLimit-Bucket"]) == 32


@fact(
    "L-03", "channels share a bucket's hash, not its content", "HIK:hikari/impl/buckets.py:48", limited=True
)
async def hash_and_major(api: Api) -> None:
    first = await api.send()
    second = await api.send(channel=api.twin.add_channel("other"))
    assert first.headers["X-RateLimit-Bucket"] == second.headers["X-RateLimit-Bucket"]
    assert second.headers["X-RateLimit-Remaining"] == "4"


@fact(
    "L-04",
    "a 429 has retry_after as a float, a whole Retry-After and its scope",
    "DD:topics/rate-limits.mdx",
    limited=True,
)
async def refusal_shape(api: Api) -> None:
    refused = (await burst(api, 6))[-1]
    assert refused.json == {"message": "You are being rate limited.", "retry_after": 1.0, "global": False}
    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["X-RateLimit-Scope"] == "user"
    assert "X-RateLimit-Global" not in refused.headers


@fact("L-05", "Discord's own 429 has a Via header", "DPY:discord/http.py:714", limited=True)
async def via(api: Api) -> None:
    assert (await burst(api, 6))[-1].headers["Via"]


@fact(
    "L-06",
    "buckets leak: one request comes back after a fifth of the window",
    "HIK:hikari/impl/buckets.py:69",
    limited=True,
    switch="leaky",
)
async def leaking(api: Api) -> None:
    await burst(api, 5)
    clock_of(api).jump(1.0)
    assert [one.status for one in await burst(api, 2)] == [200, 429]
    clock_of(api).jump(60.0)
    api.twin.configure(leaky=False)
    await burst(api, 5)
    clock_of(api).jump(4.9)
    assert [one.status for one in await burst(api, 1)] == [429]
    clock_of(api).jump(0.11)
    assert [one.status for one in await burst(api, 6)] == [200] * 5 + [429]


@fact("L-07", "who waits as told is not refused again", "DD:topics/rate-limits.mdx", limited=True)
async def waiting_for_retry_after(api: Api) -> None:
    for leaky in (True, False):
        api.twin.configure(leaky=leaky)
        refused = (await burst(api, 6))[-1]
        clock_of(api).jump(refused.json["retry_after"])
        assert (await api.send()).status == 200
        clock_of(api).jump(60.0)


@fact("L-08", "webhooks: 5 per 2 s and webhook", "discord/discord-api-docs#1454", limited=True)
async def webhooks(api: Api) -> None:
    hook, other = await api.hook(), await api.hook("other")
    assert [one.status for one in await hook_burst(api, hook, 6)] == [204] * 5 + [429]
    assert (await hook_burst(api, other, 1))[0].headers["X-RateLimit-Remaining"] == "4"


@fact(
    "L-09",
    "a hidden 30 per 60 s per channel: 429 while Remaining is above 0",
    "discord/discord-api-docs#367",
    limited=True,
    switch="hidden_webhook_channel_limit",
)
async def hidden(api: Api) -> None:
    hooks = [await api.hook(f"hook {number}") for number in range(7)]
    for hook in hooks[:6]:
        assert [one.status for one in await hook_burst(api, hook, 5)] == [204] * 5
    clock_of(api).jump(15.0)
    refused = (await hook_burst(api, hooks[6], 1))[0]
    assert refused.status == 429
    assert int(refused.headers["X-RateLimit-Remaining"]) > 0
    assert 40 <= refused.json["retry_after"] <= 45
    api.twin.configure(hidden_webhook_channel_limit=None)
    assert (await hook_burst(api, hooks[6], 1))[0].status == 204


@fact("L-10", "hidden limits name a scope", "DD:topics/rate-limits.mdx", limited=True, switch="hidden_scope")
async def hidden_scope(api: Api) -> None:
    api.twin.configure(sub_limit=Limit(1, 60.0))
    await api.send()
    assert (await api.send()).headers["X-RateLimit-Scope"] == "shared"
    api.twin.configure(hidden_scope="user")
    assert (await api.send()).headers["X-RateLimit-Scope"] == "user"


@fact(
    "L-11",
    "a sub-limit: 429 with requests left, only the body knows how long",
    "DPY:discord/http.py:719",
    limited=True,
    switch="sub_limit",
)
async def sub_limit(api: Api) -> None:
    assert [one.status for one in await burst(api, 2)] == [200, 200]
    api.twin.configure(sub_limit=Limit(1, 30.0))
    refused = (await burst(api, 2))[-1]
    assert (refused.status, refused.json["retry_after"]) == (429, 30.0)
    assert refused.headers["X-RateLimit-Remaining"] == "1"


@fact(
    "L-12", "globally 50 per second and bot", "DD:topics/rate-limits.mdx", limited=True, switch="global_rps"
)
async def global_limit(api: Api) -> None:
    answers = [await api.get(f"/users/{api.twin.user.id}") for _ in range(50)]
    assert {one.status for one in answers} == {200}
    refused = await api.send()
    assert refused.status == 429
    assert refused.json["global"] is True
    assert (refused.headers["X-RateLimit-Global"], refused.headers["X-RateLimit-Scope"]) == ("true", "global")
    api.twin.configure(global_rps=0)
    assert (await api.send()).status == 200


@fact(
    "L-13",
    "interaction endpoints are exempt from the global limit",
    "DD:topics/rate-limits.mdx",
    limited=True,
)
async def interactions_exempt(api: Api) -> None:
    await api.post(f"/applications/{api.twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = api.twin.slash("ask")
    for _ in range(49):
        await api.get("/users/@me")
    assert (await api.get("/users/@me")).status == 429
    callback = await api.post(f"/interactions/{asked.id}/{asked.token}/callback", {"type": 5})
    follow_up = await api.post(f"/webhooks/{api.twin.bot.id}/{asked.token}", {"content": "x"})
    assert (callback.status, follow_up.status) == (204, 200)
    assert api.twin.log.count("interactions.followup") == 1


@fact(
    "L-14",
    "10 000 invalid requests in 10 minutes and Cloudflare bans the address",
    "DD:topics/rate-limits.mdx",
    switch="invalid_request_ban",
)
async def invalid_requests(api: Api) -> None:
    assert api.twin.options.invalid_request_ban == Limit(10_000, 600.0)
    api.twin.configure(invalid_request_ban=Limit(3, 600.0))
    token, api.token = api.token, "wrong"
    assert [(await api.get("/users/@me")).status for _ in range(3)] == [401, 401, 401]
    api.token = token
    banned = await api.send()
    assert (banned.status, banned.headers.get("Via")) == (429, None)
    clock_of(api).jump(600.0)
    assert (await api.send()).status == 200


@fact("L-15", "429s of shared limits do not count as invalid", "DD:topics/rate-limits.mdx", limited=True)
async def shared_is_valid(api: Api) -> None:
    api.twin.configure(invalid_request_ban=Limit(2, 600.0), sub_limit=Limit(1, 60.0))
    assert [one.status for one in await burst(api, 4)] == [200, 429, 429, 429]
    assert api.twin.limits.is_banned is False
    assert api.twin.log.invalid == []


@fact(
    "L-16", "Cloudflare's 429 is a page without Via", "DPY:discord/http.py:714", switch="cloudflare_429_html"
)
async def cloudflare(api: Api) -> None:
    api.twin.configure(cloudflare_429_html=True)
    banned = await api.send()
    assert (banned.status, banned.headers.get("Via")) == (429, None)
    assert banned.headers["Content-Type"].startswith("text/html")
    api.twin.configure(cloudflare_429_html=False)
    assert (await api.send()).status == 200


@fact(
    "L-17",
    "a route's hash may change while it runs",
    "DPY:discord/http.py:673",
    limited=True,
    switch="bucket_hash_change_at",
)
async def hash_change(api: Api) -> None:
    api.twin.configure(bucket_hash_change_at=2)
    first, second, third = await burst(api, 3)
    assert first.headers["X-RateLimit-Bucket"] != second.headers["X-RateLimit-Bucket"]
    assert second.headers["X-RateLimit-Bucket"] == third.headers["X-RateLimit-Bucket"]
    assert third.headers["X-RateLimit-Remaining"] == "2"


@fact("L-18", "headers may be missing", "DD:topics/rate-limits.mdx", limited=True, switch="omit_rl_headers")
async def no_headers(api: Api) -> None:
    api.twin.configure(omit_rl_headers=True)
    assert "X-RateLimit-Limit" not in (await api.send()).headers
    api.twin.configure(omit_rl_headers=False)
    assert "X-RateLimit-Limit" in (await api.send()).headers


@fact("L-19", "typing has a bucket of its own", "Open-ACP/OpenACP#240", limited=True)
async def typing_bucket(api: Api) -> None:
    path = f"/channels/{api.twin.channel.id}/typing"
    assert [(await api.post(path)).status for _ in range(6)] == [204] * 5 + [429]
    assert (await api.send()).status == 200


@fact(
    "L-20",
    "calling a dead webhook again and again is punished",
    "DD:topics/rate-limits.mdx",
    switch="webhook_404_penalty",
)
async def dead_webhook(api: Api) -> None:
    hook = await api.hook()
    await api.delete(hook)
    assert {(await api.post(hook, {"content": "x"})).status for _ in range(5)} == {404}
    api.twin.configure(webhook_404_penalty=5)
    assert (await api.post(hook, {"content": "x"})).status == 429


@fact(
    "L-21",
    "a bot must name itself `DiscordBot (url, version)`: 40333",
    "DD:reference.mdx:231",
    switch="user_agent_required",
)
async def user_agent(api: Api) -> None:
    assert (await api.send()).status == 200
    api.twin.configure(user_agent_required=True)
    assert (await api.send()).outcome == (403, 40333)
    path = f"/channels/{api.twin.channel.id}/messages"
    named = {"User-Agent": "DiscordBot (https://example.com, 1.0)"}
    assert (await api.post(path, {"content": "x"}, headers=named)).status == 200


@fact("L-22", "a 429 creates nothing", "DD:topics/rate-limits.mdx", limited=True)
async def nothing_created(api: Api) -> None:
    await burst(api, 8)
    assert len(api.twin.channel.messages) == 5
