from __future__ import annotations

from dataclasses import replace

import pytest

from streamcord import Attachment, Message, Speaker
from streamcord._delivery.outbox import KEY_LENGTH, NOBODY, Outbox, Pings, seal
from virtual import timeless


@timeless
async def test_messages_come_out_as_they_went_in() -> None:
    outbox = Outbox(100)
    outbox.put(Message("a"))
    outbox.put(Message("b"))

    assert outbox.find_first() == Message("a")
    outbox.done()
    assert outbox.find_first() == Message("b")
    assert len(outbox) == 1


@timeless
async def test_it_is_full_at_its_cap_and_has_room_below_it() -> None:
    outbox = Outbox(4)
    outbox.put(Message("abc"))
    assert not outbox.full

    outbox.put(Message("d"))
    assert outbox.full

    outbox.done()
    assert not outbox.full
    await outbox.wait_for_room()


@timeless
async def test_what_is_taken_out_makes_room_and_the_first_may_stay() -> None:
    outbox = Outbox(4)
    for text in ("abc", "def", "ghi"):
        outbox.put(Message(text))

    assert [message.content for message in outbox.take_all(but_first=True)] == ["def", "ghi"]
    assert not outbox.full
    assert [message.content for message in outbox.take_all()] == ["abc"]
    assert outbox.take_all(but_first=True) == []


@timeless
async def test_news_are_a_message_or_the_end() -> None:
    outbox = Outbox(4)
    outbox.put(Message("a"))
    await outbox.wait_for_news()
    outbox.done()

    outbox.close()
    await outbox.wait_for_news()

    assert outbox.closed
    assert outbox.find_first() is None


# --- Parcels ---

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
