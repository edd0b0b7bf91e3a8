"""Facts about interactions (§1.11)."""

from __future__ import annotations

from discord_twin import DrivenClock, Interaction
from twin.api import Answer, Api
from twin.facts.table import fact

DOC = "DD:interactions/receiving-and-responding.mdx"


async def ask(api: Api) -> Interaction:
    await api.post(f"/applications/{api.twin.bot.id}/commands", {"name": "ask", "description": "d"})
    return api.twin.slash("ask")


async def respond(api: Api, asked: Interaction, body: object, query: str = "") -> Answer:
    return await api.post(f"/interactions/{asked.id}/{asked.token}/callback{query}", body)


async def follow(api: Api, asked: Interaction, **fields: object) -> Answer:
    return await api.post(f"/webhooks/{api.twin.bot.id}/{asked.token}", fields)


def jump(api: Api, seconds: float) -> None:
    assert isinstance(api.twin.clock, DrivenClock)
    api.twin.clock.jump(seconds)


@fact(
    "I-01",
    "the first answer is due within 3 s, later it is 10062",
    DOC + ":351",
    switch="interaction_deadline_s",
)
async def deadline(api: Api) -> None:
    asked = await ask(api)
    jump(api, 3.0)
    assert (await respond(api, asked, {"type": 5})).status == 204
    late = await ask(api)
    jump(api, 3.1)
    assert (await respond(api, late, {"type": 5})).outcome == (404, 10062)
    api.twin.configure(interaction_deadline_s=10.0)
    assert (await respond(api, late, {"type": 5})).status == 204


@fact("I-02", "a second first answer is 40060", "DD:topics/opcodes-and-status-codes.mdx")
async def twice(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 5})
    assert (await respond(api, asked, {"type": 5})).outcome == (400, 40060)


@fact(
    "I-03",
    "the token is good for 15 minutes, then 401/50027",
    "Rapptz/discord.py#9856",
    switch="interaction_ttl_s",
)
async def expiry(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 5})
    jump(api, 900.0)
    assert (await follow(api, asked, content="x")).status == 200
    jump(api, 1.0)
    assert (await follow(api, asked, content="x")).outcome == (401, 50027)
    api.twin.configure(interaction_ttl_s=1000.0)
    assert (await follow(api, asked, content="x")).status == 200


@fact("I-04", "right after a deferral the first follow-up edits the waiting message", DOC)
async def deferred(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 5})
    (waiting,) = api.twin.channel.messages.values()
    first = await follow(api, asked, content="one")
    second = await follow(api, asked, content="two")
    assert (first.json["id"], first.json["flags"]) == (str(waiting.id), 0)
    assert api.twin.channel.texts == ["one", "two"]
    assert second.json["id"] != first.json["id"]


@fact("I-05", "follow-ups always wait and take no name", DOC + ":477")
async def always_waits(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 4, "data": {"content": "x"}})
    made = await follow(api, asked, content="y", username="Luna")
    assert (made.status, made.json["author"]["username"]) == (200, api.twin.bot.user.name)


@fact("I-06", "user-installed apps have 5 follow-ups: 40094", DOC + ":474", switch="followup_cap")
async def followup_cap(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 4, "data": {"content": "x"}})
    api.twin.configure(followup_cap=5)
    assert [(await follow(api, asked, content="y")).status for _ in range(6)] == [200] * 5 + [400]
    api.twin.configure(followup_cap=0)
    assert (await follow(api, asked, content="y")).status == 200


FOR_PEOPLE = {"name": "ask", "description": "d", "integration_types": [0, 1]}


@fact(
    "I-06b",
    "without User Install in the portal its commands are refused",
    "eliza#16067",
    switch="user_install",
)
async def user_install(api: Api) -> None:
    path = f"/applications/{api.twin.bot.id}/commands"
    assert (await api.put(path, [FOR_PEOPLE])).status == 200
    api.twin.configure(user_install=False)
    assert (await api.put(path, [FOR_PEOPLE])).outcome == (400, 50035)


@fact("I-07", "with_response brings the message back, else 204", DOC)
async def with_response(api: Api) -> None:
    body = {"type": 4, "data": {"content": "x"}}
    assert (await respond(api, await ask(api), body)).status == 204
    made = await respond(api, await ask(api), body, "?with_response=1")
    assert made.json["resource"]["message"]["content"] == "x"


@fact("I-08", "@original names the first answer", DOC)
async def original(api: Api) -> None:
    asked = await ask(api)
    await respond(api, asked, {"type": 4, "data": {"content": "x"}})
    path = f"/webhooks/{api.twin.bot.id}/{asked.token}/messages/@original"
    assert (await api.get(path)).json["content"] == "x"
    assert (await api.patch(path, {"content": "y"})).json["content"] == "y"
    assert (await api.delete(path)).status == 204
    assert (await api.get(path)).outcome == (404, 10008)


@fact("I-09", "an ephemeral answer is in no channel history", DOC)
async def ephemeral(api: Api) -> None:
    await respond(api, await ask(api), {"type": 4, "data": {"content": "x", "flags": 64}})
    assert (await api.get(f"/channels/{api.twin.channel.id}/messages")).json == []
    assert (await api.twin.next_message()).is_ephemeral


@fact("I-10", "a follow-up before the first answer is refused", DOC)
async def too_early(api: Api) -> None:
    assert (await follow(api, await ask(api), content="x")).outcome == (404, 10015)


@fact("I-11", "a button's answer may change its message", DOC)
async def update(api: Api) -> None:
    button = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "b"}]}]
    made = (await api.send("old", components=button)).json["id"]
    pressed = api.twin.press(api.twin.channel.messages[int(made)], "b")
    assert (await respond(api, pressed, {"type": 7, "data": {"content": "new"}})).status == 204
    assert api.twin.channel.texts == ["new"]


@fact(
    "I-12", "commands are replaced as a whole and keep their ids", "DD:interactions/application-commands.mdx"
)
async def sync(api: Api) -> None:
    path = f"/applications/{api.twin.bot.id}/commands"
    first = await api.put(path, [{"name": "a", "description": "d"}, {"name": "b", "description": "d"}])
    second = await api.put(path, [{"name": "b", "description": "new"}])
    assert [one["name"] for one in second.json] == ["b"]
    assert second.json[0]["id"] == first.json[1]["id"]


@fact("I-13", "command names are lower case", "DD:interactions/application-commands.mdx")
async def command_names(api: Api) -> None:
    path = f"/applications/{api.twin.bot.id}/commands"
    assert (await api.post(path, {"name": "Ask", "description": "d"})).outcome == (400, 50035)
