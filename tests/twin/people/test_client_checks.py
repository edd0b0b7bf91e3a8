from __future__ import annotations

import pytest

from streamcord._twin.cdn import plain_png
from streamcord._twin.people.client_checks import make_attachment, with_mentions
from streamcord._twin.state.model import Draft
from streamcord.twin import NotOffered, Permission, Twin

# --- Offers ---


@pytest.mark.parametrize(
    ("deny", "said"),
    [(Permission.VIEW_CHANNEL, "does not see"), (Permission.SEND_MESSAGES, "may not write")],
)
async def test_people_write_where_they_may(twin: Twin, deny: Permission, said: str) -> None:
    bob = twin.person("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=deny)

    with pytest.raises(NotOffered, match=said):
        bob.say("hello")


async def test_a_locked_thread_is_for_moderators(twin: Twin) -> None:
    thread, bob = twin.add_thread("t"), twin.person("bob")
    twin.state.set_thread(thread, archived=True, locked=True)

    with pytest.raises(NotOffered, match="locked"):
        bob.say("hello", thread)
    twin.person().say("I own this", thread)
    assert thread.texts == ["I own this"]


async def test_what_is_not_offered_cannot_be_done(twin: Twin) -> None:
    bob = twin.person("bob")
    said = twin.person().say("hello")
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
        with pytest.raises(NotOffered):
            act()
    twin.person().react(said, "🔥")
    bob.react(said, "🔥")
    twin.delete(said)
    with pytest.raises(NotOffered, match="gone"):
        bob.react(said, "🔥")


# --- Written ---


async def test_files_have_their_kinds(twin: Twin) -> None:
    picture = make_attachment(twin.world, "a b.bin", plain_png(1, side=7))
    voice = make_attachment(twin.world, "v.ogg", b"OggS", duration=1.5)

    assert (picture.filename, picture.content_type, picture.width) == ("a_b.bin", "image/png", 7)
    assert (voice.content_type, voice.duration, bool(voice.waveform)) == ("audio/ogg", 1.5, True)
    assert make_attachment(twin.world, "a.json", b"{}").content_type == "application/json"


async def test_a_reply_mentions_whom_it_answers(twin: Twin) -> None:
    bob = twin.person("bob")
    draft = with_mentions(twin.world, twin.channel, Draft("hi <@1>", reply_to=bob.say("question")))

    assert draft.mentions == (bob.user.id,)
