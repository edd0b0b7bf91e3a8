from __future__ import annotations

import pytest

from discord_twin import ActionUnavailable, ChannelType, Permission, Twin
from discord_twin.cdn import plain_png
from discord_twin.state.models import Draft
from discord_twin.users.fake_user import make_attachment, with_mentions
from twin.api import Api
from twin.wire import open_wire


async def test_what_a_person_does_reaches_the_bot(twin: Twin, api: Api) -> None:
    person = twin.fake_user()
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
        received = await wire.event("MESSAGE_CREATE")
        while received["id"] != str(voice.id):
            received = await wire.event("MESSAGE_CREATE")
        assert (received["flags"], received["attachments"][0]["duration_secs"]) == (1 << 13, 2.5)
        person.delete(answer)
        assert (await wire.event("MESSAGE_DELETE"))["id"] == str(answer.id)


async def test_a_forward_shows_what_was_said_then(twin: Twin, api: Api) -> None:
    person, other = twin.fake_user(), twin.add_channel("other")
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
    person, forum = twin.fake_user(), twin.add_channel("forum", ChannelType.FORUM)
    said = person.say("topic")
    thread = person.start_thread("talk", said, text="inside")
    assert (thread.id, thread.texts) == (said.id, ["inside"])
    with pytest.raises(ActionUnavailable, match="thread already"):
        person.start_thread("again", said)
    person.channel = forum
    assert person.start_thread("post", text="words").texts == ["words"]
    with pytest.raises(ActionUnavailable, match="begins with a message"):
        person.start_thread("empty")
    with pytest.raises(ActionUnavailable, match="posts only"):
        person.say("here?")


async def test_a_user_cannot_edit_messages_of_others(twin: Twin) -> None:
    said = twin.fake_user().say("mine")

    with pytest.raises(PermissionError):
        twin.fake_user("bob").edit(said, "yours")
    assert "alice" in repr(twin.fake_user())


async def test_a_phone_rings_for_what_others_write(twin: Twin) -> None:
    alice, bob = twin.fake_user(), twin.fake_user("bob")
    alice.say("hello")
    alice.say("psst", silent=True)

    assert [(one.text, one.silent) for one in bob.pushes] == [("hello", False), ("psst", True)]
    assert (alice.pushes, bob.unread, alice.unread) == ([], 2, 0)
    bob.read()
    assert bob.unread == 0


# --- Offers ---


@pytest.mark.parametrize(
    ("deny", "said"),
    [(Permission.VIEW_CHANNEL, "does not see"), (Permission.SEND_MESSAGES, "may not write")],
)
async def test_people_write_where_they_may(twin: Twin, deny: Permission, said: str) -> None:
    bob = twin.fake_user("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=deny)

    with pytest.raises(ActionUnavailable, match=said):
        bob.say("hello")


async def test_a_locked_thread_is_for_moderators(twin: Twin) -> None:
    thread, bob = twin.add_thread("t"), twin.fake_user("bob")
    twin.state.set_thread(thread, archived=True, locked=True)

    with pytest.raises(ActionUnavailable, match="locked"):
        bob.say("hello", thread)
    twin.fake_user().say("I own this", thread)
    assert thread.texts == ["I own this"]


async def test_what_is_not_offered_cannot_be_done(twin: Twin) -> None:
    bob = twin.fake_user("bob")
    said = twin.fake_user().say("hello")
    twin.state.overwrite(twin.channel, bob.user, deny=Permission.ADD_REACTIONS | Permission.SEND_POLLS)
    for act in (
        lambda: bob.react(said, "🔥"),
        lambda: bob.react(said, "fire"),
        lambda: bob.pin(said),
        lambda: bob.ask("tea?", ["yes"]),
        lambda: bob.vote(said, 1),
        lambda: bob.say("x" * 4001),
        lambda: bob.slash("nothing"),
        lambda: bob.press(said, "nothing"),
    ):
        with pytest.raises(ActionUnavailable):
            act()
    twin.fake_user().react(said, "🔥")
    bob.react(said, "🔥")
    twin.delete(said)
    with pytest.raises(ActionUnavailable, match="gone"):
        bob.react(said, "🔥")


# --- Written ---


async def test_files_have_their_kinds(twin: Twin) -> None:
    picture = make_attachment(twin.context, "a b.bin", plain_png(1, side=7))
    voice = make_attachment(twin.context, "v.ogg", b"OggS", duration=1.5)

    assert (picture.filename, picture.content_type, picture.width) == ("a_b.bin", "image/png", 7)
    assert (voice.content_type, voice.duration, bool(voice.waveform)) == ("audio/ogg", 1.5, True)
    assert make_attachment(twin.context, "a.json", b"{}").content_type == "application/json"


async def test_a_reply_mentions_the_author_it_answers(twin: Twin) -> None:
    bob = twin.fake_user("bob")
    draft = with_mentions(twin.context, twin.channel, Draft("hi <@1>", reply_to=bob.say("question")))

    assert draft.mentions == (bob.user.id,)
