from __future__ import annotations

import pytest

from streamcord.twin import NotOffered, Permission, Twin


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
