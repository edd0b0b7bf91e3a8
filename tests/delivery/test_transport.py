from __future__ import annotations

from dataclasses import replace

import pytest

from streamcord import Attachment, Message, Receipt, Speaker
from streamcord._delivery.transport import KEY_LENGTH, NOBODY, Clocked, Pings, Transport, seal
from streamcord.testing import FakeChannel

# --- Parcel ---

MESSAGE = Message("Hi.", speaker=Speaker("Luna"), files=(Attachment("a.txt", b"a"),), reply=True)
KEY = seal("turn", 3, MESSAGE).key


def test_the_same_body_has_the_same_key_at_every_attempt() -> None:
    assert seal("turn", 3, MESSAGE).key == KEY
    assert len(KEY) == KEY_LENGTH


@pytest.mark.parametrize(
    ("turn", "part", "message"),
    [
        ("other", 3, MESSAGE),
        ("turn", 4, MESSAGE),
        ("turn", 3, replace(MESSAGE, content="Hi!")),
        ("turn", 3, replace(MESSAGE, speaker=None)),
        ("turn", 3, replace(MESSAGE, speaker=Speaker("Sol"))),
        ("turn", 3, replace(MESSAGE, files=())),
        ("turn", 3, replace(MESSAGE, files=(Attachment("a.txt", b"b"),))),
        ("turn", 3, replace(MESSAGE, files=(Attachment("b.txt", b"a"),))),
    ],
)
def test_another_turn_part_or_body_has_another(turn: str, part: int, message: Message) -> None:
    assert seal(turn, part, message).key != KEY


def test_without_its_reply_it_is_still_the_same_message() -> None:
    assert seal("turn", 3, replace(MESSAGE, reply=False)).key == KEY


def test_any_text_can_be_sealed() -> None:
    assert seal("t", 0, Message("\ud800\0", speaker=Speaker("\udfff"))).key


def test_nobody_is_pinged_unless_somebody_is_named() -> None:
    assert seal("t", 0, MESSAGE).pings == NOBODY == Pings((), roles=False, replied_user=False)
    assert seal("t", 0, MESSAGE, Pings((7,))).pings.users == (7,)


# --- Delivery ---


class Printer:
    """The least that a transport must be."""

    async def send(self, message: Message) -> Receipt:
        return Receipt(message, 1)

    async def typing(self) -> None:
        pass


def test_two_methods_make_a_transport() -> None:
    transport: Transport = Printer()

    assert not isinstance(transport, Clocked)


def test_a_transport_with_a_sleep_has_a_clock_of_its_own() -> None:
    transport: Transport = FakeChannel()

    assert isinstance(transport, Clocked)
