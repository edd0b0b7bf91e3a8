from __future__ import annotations

from discord_twin import Twin
from twin.api import Api
from twin.wire import open_wire


async def test_a_message_is_made_read_edited_and_deleted(twin: Twin, api: Api) -> None:
    made = (await api.send("one")).json
    path = f"/channels/{twin.channel.id}/messages/{made['id']}"

    assert (await api.get(path)).json["content"] == "one"
    assert (await api.edit(made["id"], content="two")).json["edited_timestamp"]
    assert (await api.delete(path)).status == 204
    assert (await api.get(path)).outcome == (404, 10008)


async def test_many_are_deleted_at_once(twin: Twin, api: Api) -> None:
    made = [(await api.send(str(number))).json["id"] for number in range(3)]
    path = f"/channels/{twin.channel.id}/messages/bulk-delete"

    assert (await api.post(path, {"messages": made[:2]})).status == 204
    assert twin.channel.texts == ["2"]


async def test_adding_and_removing_reactions_is_dispatched(twin: Twin, api: Api) -> None:
    made = (await api.send("one")).json["id"]
    path = f"/channels/{twin.channel.id}/messages/{made}/reactions/%F0%9F%91%8D/@me"
    async with open_wire(api) as wire:
        await wire.identify()
        for _ in range(2):
            assert (await api.put(path)).status == 204
        assert (await wire.event("MESSAGE_REACTION_ADD"))["emoji"]["name"] == "👍"
        message = twin.channel.messages[int(made)]
        assert message.reactions == {"👍": [twin.bot.user.id]}
        await api.delete(path)
        await wire.event("MESSAGE_REACTION_REMOVE")
        assert message.reactions == {}


async def test_a_person_in_a_direct_message_is_not_deleted_by_the_bot(twin: Twin, api: Api) -> None:
    said = twin.say(twin.dm(), twin.user, "mine")

    assert (await api.delete(f"/channels/{twin.dm().id}/messages/{said.id}")).outcome == (403, 50003)


async def test_an_ephemeral_message_cannot_be_edited_as_a_message(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = twin.slash("ask")
    body = {"type": 4, "data": {"content": "x", "flags": 64}}
    await api.post(f"/interactions/{asked.id}/{asked.token}/callback", body)
    (message,) = twin.channel.messages.values()

    assert (await api.edit(str(message.id), content="y")).outcome == (404, 10008)


async def test_a_forward_carries_what_it_forwards(twin: Twin, api: Api) -> None:
    other = twin.add_channel("other")
    said = twin.say(other, twin.user, "news")
    reference = {"type": 1, "message_id": str(said.id), "channel_id": str(other.id)}
    made = (await api.send(None, message_reference=reference)).json

    assert (made["type"], made["content"], made["flags"]) == (0, "", 1 << 14)
    assert made["message_reference"]["type"] == 1
    assert made["message_snapshots"][0]["message"]["content"] == "news"
    assert "author" not in made["message_snapshots"][0]["message"]
    gone = {"type": 1, "message_id": "1", "channel_id": "2"}
    assert (await api.send(None, message_reference=gone)).outcome == (400, 50035)


async def test_the_limit_of_a_file_may_be_lowered(twin: Twin, api: Api) -> None:
    twin.configure(file_limit=3)

    assert (await api.upload({"a.txt": b"abc"})).status == 200
    assert (await api.upload({"a.txt": b"abcd"})).outcome == (413, 40005)
