"""Facts about webhooks (§1.5)."""

from __future__ import annotations

from discord_twin import ChannelType, Permission
from twin.api import Api
from twin.facts.table import fact


async def post_as(api: Api, hook: str, username: str) -> int:
    return (await api.post(hook, {"content": "x", "username": username})).status


@fact(
    "W-01",
    "a name must not contain clyde or discord, in any case",
    "DD:resources/webhook.mdx Create Webhook",
    switch="forbidden_names",
)
async def forbidden(api: Api) -> None:
    hook = await api.hook()
    assert [await post_as(api, hook, name) for name in ("Clyde", "my dIsCoRd bot", "Luna")] == [400, 400, 204]
    path = f"/channels/{api.twin.channel.id}/webhooks"
    assert (await api.post(path, {"name": "Discordia"})).outcome == (400, 50035)
    api.twin.configure(forbidden_names=("luna",))
    assert [await post_as(api, hook, name) for name in ("Clyde", "Luna")] == [204, 400]


@fact("W-02", "a refused name is told at `username`", "discord/discord-api-docs#1229")
async def refused_at_username(api: Api) -> None:
    refused = await api.post(await api.hook(), {"content": "x", "username": "Discord"})
    assert refused.outcome == (400, 50035)
    assert list(refused.errors) == ["username"]


@fact("W-03", "a name is 1 to 80 characters", "DS IncomingWebhookRequestPartial.username")
async def name_length(api: Api) -> None:
    hook = await api.hook()
    assert await post_as(api, hook, "x" * 80) == 204
    assert await post_as(api, hook, "x" * 81) == 400


@fact(
    "W-04",
    "exactly everyone and here are refused too",
    "PK:WebhookExecutorService.cs FixProxyName",
    switch="forbidden_exact_names",
)
async def exact_names(api: Api) -> None:
    hook = await api.hook()
    assert [await post_as(api, hook, name) for name in ("Everyone", "here", "everyone else")] == [
        400,
        400,
        204,
    ]
    api.twin.configure(forbidden_exact_names=())
    assert await post_as(api, hook, "everyone") == 204


@fact(
    "W-05",
    "a name of one character is refused",
    "PK:WebhookExecutorService.cs FixProxyName",
    switch="single_letter_names",
)
async def single_letter(api: Api) -> None:
    hook = await api.hook()
    assert await post_as(api, hook, "L") == 400
    api.twin.configure(single_letter_names=True)
    assert await post_as(api, hook, "L") == 204


@fact("W-06", "characters that draw nothing are taken out of names", "DD:resources/user.mdx:16")
async def invisible(api: Api) -> None:
    hook = await api.hook()
    made = await api.post(hook + "?wait=true", {"content": "x", "username": "Lu\u200bna "})
    assert made.json["author"]["username"] == "Luna"
    assert await post_as(api, hook, "\u200b\u200b") == 400


@fact(
    "W-07",
    "a channel has at most 15 webhooks: 30007",
    "DD:topics/opcodes-and-status-codes.mdx",
    switch="max_webhooks",
)
async def full_channel(api: Api) -> None:
    path = f"/channels/{api.twin.channel.id}/webhooks"
    statuses = [(await api.post(path, {"name": f"hook {number}"})).status for number in range(16)]
    assert statuses == [200] * 15 + [400]
    assert (await api.post(path, {"name": "more"})).outcome == (400, 30007)
    api.twin.configure(max_webhooks=16)
    assert (await api.post(path, {"name": "more"})).status == 200


@fact(
    "W-08",
    "a guild has at most 1000 webhooks: 30058",
    "DD:topics/opcodes-and-status-codes.mdx",
    switch="max_guild_webhooks",
)
async def full_guild(api: Api) -> None:
    assert api.twin.options.max_guild_webhooks == 1000
    await api.hook()
    api.twin.configure(max_guild_webhooks=1)
    other = api.twin.add_channel("other")
    assert (await api.post(f"/channels/{other.id}/webhooks", {"name": "more"})).outcome == (400, 30058)


@fact(
    "W-09", "with wait the message comes back, without it nothing", "DD:resources/webhook.mdx Execute Webhook"
)
async def waiting(api: Api) -> None:
    hook = await api.hook()
    plain = await api.post(hook, {"content": "x"})
    assert (plain.status, plain.body) == (204, b"")
    for flag in ("true", "1"):
        made = await api.post(f"{hook}?wait={flag}", {"content": "x"})
        assert (made.status, made.json["webhook_id"]) == (200, hook.split("/")[2])


@fact(
    "W-10", "without wait a message that is not saved is no error", "DD:resources/webhook.mdx Execute Webhook"
)
async def not_saved(api: Api) -> None:
    hook = await api.hook()
    api.twin.configure(automod=("bad",))
    assert (await api.post(hook, {"content": "bad"})).status == 204
    assert api.twin.channel.texts == []
    assert (await api.post(hook + "?wait=true", {"content": "bad"})).outcome == (400, 200000)


@fact("W-11", "a thread is written to through its parent's webhook", "DD:topics/threads.mdx:145")
async def in_thread(api: Api) -> None:
    thread, hook = api.twin.add_thread("talk"), await api.hook()
    await api.post(f"{hook}?thread_id={thread.id}", {"content": "x"})
    assert (thread.texts, api.twin.channel.texts) == (["x"], [])


@fact("W-12", "a thread itself has no webhooks: 50024", "DD:topics/threads.mdx:145")
async def thread_hooks(api: Api) -> None:
    thread = api.twin.add_thread("talk")
    assert (await api.post(f"/channels/{thread.id}/webhooks", {"name": "luna"})).outcome == (400, 50024)


@fact("W-13", "a thread of another channel is unknown: 10003", "DD:resources/webhook.mdx Execute Webhook")
async def foreign_thread(api: Api) -> None:
    thread = api.twin.add_thread("talk", api.twin.add_channel("other"))
    hook = await api.hook()
    assert (await api.post(f"{hook}?thread_id={thread.id}", {"content": "x"})).outcome == (404, 10003)


@fact("W-14", "writing opens an archived thread", "DD:resources/webhook.mdx Execute Webhook")
async def archived_thread(api: Api) -> None:
    thread, hook = api.twin.add_thread("talk"), await api.hook()
    api.twin.state.set_thread(thread, archived=True)
    assert (await api.post(f"{hook}?thread_id={thread.id}", {"content": "x"})).status == 204
    assert not thread.archived


@fact(
    "W-15",
    "a forum needs a thread or a name, not both: 220001, 220002",
    "DD:topics/opcodes-and-status-codes.mdx",
)
async def forum(api: Api) -> None:
    forum_channel = api.twin.add_channel("forum", ChannelType.FORUM)
    hook = await api.hook(channel=forum_channel)
    assert (await api.post(hook, {"content": "x"})).outcome == (400, 220001)
    made = await api.post(hook + "?wait=true", {"content": "x", "thread_name": "new"})
    thread_id = made.json["channel_id"]
    assert api.twin.state.channels[int(thread_id)].parent_id == forum_channel.id
    both = await api.post(f"{hook}?thread_id={thread_id}", {"content": "x", "thread_name": "new"})
    assert both.outcome == (400, 220002)


@fact("W-16", "a thread name outside a forum: 220003", "DD:topics/opcodes-and-status-codes.mdx")
async def no_forum(api: Api) -> None:
    assert (await api.post(await api.hook(), {"content": "x", "thread_name": "n"})).outcome == (400, 220003)


@fact("W-17", "anyone with Manage Webhooks reads the tokens", "discord/discord-api-docs#2157")
async def tokens(api: Api) -> None:
    api.twin.state.add_webhook(api.twin.channel, "mods", api.twin.user)
    listed = (await api.get(f"/channels/{api.twin.channel.id}/webhooks")).json
    assert listed[0]["token"]
    assert listed[0]["user"]["id"] == str(api.twin.user.id)


@fact("W-18", "a webhook can be moved; its address stays valid", "DD:resources/webhook.mdx Modify Webhook")
async def moved(api: Api) -> None:
    hook, other = await api.hook(), api.twin.add_channel("other")
    await api.patch("/".join(hook.split("/")[:3]), {"channel_id": str(other.id)})
    await api.post(hook, {"content": "x"})
    assert (other.texts, api.twin.channel.texts) == (["x"], [])


@fact(
    "W-19",
    "foreign webhooks ignore components unless with_components",
    "DD:resources/webhook.mdx Execute Webhook",
)
async def foreign_components(api: Api) -> None:
    foreign = api.twin.state.add_webhook(api.twin.channel, "mods", api.twin.user)
    button = [
        {"type": 1, "components": [{"type": 2, "style": 5, "label": "l", "url": "https://example.com"}]}
    ]
    path = f"/webhooks/{foreign.id}/{foreign.token}?wait=true"
    body = {"content": "x", "components": button}
    assert (await api.post(path, body)).json["components"] == []
    (row,) = (await api.post(path + "&with_components=true", body)).json["components"]
    assert row["components"][0]["url"] == "https://example.com"


@fact("W-20", "a webhook message cannot be a reply", "DD:resources/webhook.mdx Execute Webhook")
async def no_reply(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "question")
    body = {"content": "x", "message_reference": {"message_id": str(said.id)}}
    made = (await api.post(await api.hook() + "?wait=true", body)).json
    assert (made["type"], "message_reference" in made) == (0, False)


@fact("W-21", "Manage Webhooks is needed to list and create, not to execute", "DD:resources/webhook.mdx")
async def permission(api: Api) -> None:
    hook, path = await api.hook(), f"/channels/{api.twin.channel.id}/webhooks"
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=Permission.MANAGE_WEBHOOKS)
    assert (await api.get(path)).outcome == (403, 50013)
    assert (await api.post(path, {"name": "luna"})).outcome == (403, 50013)
    api.token = None
    assert (await api.post(hook, {"content": "x"})).status == 204


@fact(
    "W-22",
    "an unknown webhook is 404/10015, also after its channel is gone",
    "DD:topics/opcodes-and-status-codes.mdx",
)
async def unknown(api: Api) -> None:
    hook = await api.hook()
    api.twin.state.delete_channel(api.twin.channel)
    assert (await api.post(hook, {"content": "x"})).outcome == (404, 10015)


@fact("W-23", "a wrong webhook token is 401/50027", "Rapptz/discord.py#9578")
async def wrong_token(api: Api) -> None:
    hook = await api.hook()
    assert (await api.post(hook[:-4] + "xxxx", {"content": "x"})).outcome == (401, 50027)


@fact(
    "W-24",
    "an avatar is an http address of at most 2048 characters",
    "DS IncomingWebhookRequestPartial.avatar_url",
)
async def avatar_url(api: Api) -> None:
    hook = await api.hook()
    for url, status in (
        ("https://example.com/a.png", 204),
        ("file:///a", 400),
        ("https://" + "x" * 2041, 400),
    ):
        assert (await api.post(hook, {"content": "x", "avatar_url": url})).status == status


@fact(
    "W-25",
    "webhook messages group by name, not by avatar, for seven minutes",
    "Tyrrrz/DiscordChatExporter#152, #290",
    switch="group_window_s",
)
async def grouping(api: Api) -> None:
    hook = await api.hook()
    for name, avatar in (("Luna", "a"), ("Luna", "b"), ("Sol", "b")):
        body = {"content": "x", "username": name, "avatar_url": f"https://example.com/{avatar}.png"}
        await api.post(hook, body)
    assert [len(group) for group in api.twin.groups()] == [2, 1]
    api.twin.configure(group_window_s=0.0)
    assert [len(group) for group in api.twin.groups()] == [1, 1, 1]
