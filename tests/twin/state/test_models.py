from __future__ import annotations

import pytest

from discord_twin.state.enums import ChannelType, MessageFlag
from discord_twin.state.models import Application, Channel, Draft, Message, User, Webhook

BOT, PERSON = User(1, "bot", bot=True), User(2, "alice")
HOOK = Webhook(3, "secret", "luna", 4, 5, BOT)


@pytest.mark.parametrize(
    ("message", "name", "machine"),
    [
        (Message(9, 4, PERSON, Draft("x")), "alice", False),
        (Message(9, 4, BOT, Draft("x")), "bot", True),
        (Message(9, 4, User(3, "Luna"), Draft("x", username="Luna"), webhook=HOOK), "Luna", True),
        (Message(9, 4, User(3, "x"), Draft("x"), webhook=HOOK), "luna", True),
    ],
)
def test_a_message_shows_the_name_of_who_speaks(message: Message, name: str, machine: bool) -> None:
    assert (message.shown_name, message.by_machine) == (name, machine)
    assert repr(message) == f"<Message 9 of {name!r}: 'x'>"


def test_a_message_is_ephemeral_by_its_flag() -> None:
    assert Message(9, 4, BOT, Draft(flags=MessageFlag.EPHEMERAL)).is_ephemeral
    assert not Message(9, 4, BOT, Draft()).is_ephemeral


@pytest.mark.parametrize("kind", ChannelType)
def test_a_channel_knows_what_it_is(kind: ChannelType) -> None:
    channel = Channel(1, kind)

    assert channel.is_thread == kind.name.endswith("_THREAD")
    assert channel.is_forum == (kind in {ChannelType.FORUM, ChannelType.MEDIA})


def test_tokens_are_not_shown() -> None:
    assert "secret" not in repr(HOOK)
    assert "secret" not in repr(Application(1, "secret", BOT, PERSON))
