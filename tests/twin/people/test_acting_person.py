from __future__ import annotations

import pytest

from streamcord.twin import ChannelType, NotOffered, Twin
from twin.api import Api
from twin.wire import open_wire


async def test_what_a_person_does_reaches_the_bot(twin: Twin, api: Api) -> None:
    person = twin.person()
    async with open_wire(api) as wire:
        await wire.identify((1 << 26) - 1)
        said = person.say("hello")
        assert (await wire.event("MESSAGE_CREATE"))["content"] == "hello"
        answer = person.reply(said, "to myself")
        assert (await wire.event("MESSAGE_CREATE"))["referenced_message"]["id"] == str(said.id)
        person.edit(said, "changed")
        assert (await wire.event("MESSAGE_UPDATE"))["content"] == "changed"
        person.react(said, "🔥")
        assert (await wire.event("MESSAGE_REACTION_ADD"))["member"]["user"]["username"] == "alice"
        person.unreact(said, "🔥")
        await wire.event("MESSAGE_REACTION_REMOVE")
        poll = person.ask("tea?", ["yes", "no"])
        assert (await wire.event("MESSAGE_CREATE"))["poll"]["question"] == {"text": "tea?"}
        person.vote(poll, 2)
        assert (await wire.event("MESSAGE_POLL_VOTE_ADD"))["answer_id"] == 2
        person.pin(said)
        await wire.event("CHANNEL_PINS_UPDATE")
        voice = person.speak(b"OggS", 2.5)
        heard = await wire.event("MESSAGE_CREATE")
        while heard["id"] != str(voice.id):
            heard = await wire.event("MESSAGE_CREATE")
        assert (heard["flags"], heard["attachments"][0]["duration_secs"]) == (1 << 13, 2.5)
        person.delete(answer)
        assert (await wire.event("MESSAGE_DELETE"))["id"] == str(answer.id)


async def test_a_forward_shows_what_was_said_then(twin: Twin, api: Api) -> None:
    person, other = twin.person(), twin.add_channel("other")
    said = person.say("first")
    sent = person.forward(said, other)
    person.edit(said, "second")
    shape = (await api.get(f"/channels/{other.id}/messages/{sent.id}")).json

    assert shape["message_snapshots"][0]["message"]["content"] == "first"
    assert shape["message_reference"] == {
        "type": 1, "channel_id": str(twin.channel.id), "message_id": str(said.id),
        "guild_id": str(twin.guild.id),
    }  # fmt: skip


async def test_threads_and_posts_begin(twin: Twin) -> None:
    person, forum = twin.person(), twin.add_channel("forum", ChannelType.FORUM)
    said = person.say("topic")
    thread = person.start_thread("talk", said, text="inside")
    assert (thread.id, thread.texts) == (said.id, ["inside"])
    with pytest.raises(NotOffered, match="thread already"):
        person.start_thread("again", said)
    person.channel = forum
    assert person.start_thread("post", text="words").texts == ["words"]
    with pytest.raises(NotOffered, match="begins with a message"):
        person.start_thread("empty")
    with pytest.raises(NotOffered, match="posts only"):
        person.say("here?")


async def test_nobody_edits_what_others_wrote(twin: Twin) -> None:
    said = twin.person().say("mine")

    with pytest.raises(PermissionError):
        twin.person("bob").edit(said, "yours")
    assert "alice" in repr(twin.person())


async def test_a_phone_rings_for_what_others_write(twin: Twin) -> None:
    alice, bob = twin.person(), twin.person("bob")
    alice.say("hello")
    alice.say("psst", silent=True)

    assert [(one.text, one.silent) for one in bob.pushes] == [("hello", False), ("psst", True)]
    assert (alice.pushes, bob.unread, alice.unread) == ([], 2, 0)
    bob.read()
    assert bob.unread == 0
