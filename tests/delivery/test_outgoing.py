from __future__ import annotations

from dataclasses import replace

import pytest

from streamcord import Attachment, Message, Speaker
from streamcord._delivery.outgoing import (
    KEY_LENGTH,
    MESSAGE_TAG_BASE,
    NO_MENTIONS,
    AllowedMentions,
    build_outgoing,
    is_same_turn,
    make_message_tag,
)

MESSAGE = Message("Hi.", speaker=Speaker("Luna"), files=(Attachment("a.txt", b"a"),), reply=True)
KEY = build_outgoing("turn", 3, MESSAGE).key


def test_the_same_body_has_the_same_key_at_every_attempt() -> None:
    assert build_outgoing("turn", 3, MESSAGE).key == KEY
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
    assert build_outgoing(turn, part, message).key != KEY


def test_without_its_reply_it_is_still_the_same_message() -> None:
    assert build_outgoing("turn", 3, replace(MESSAGE, reply=False)).key == KEY


def test_any_text_can_be_built_into_an_outgoing_message() -> None:
    assert build_outgoing("t", 0, Message("\ud800\0", speaker=Speaker("\udfff"))).key


def test_nobody_is_pinged_unless_somebody_is_named() -> None:
    assert (
        build_outgoing("t", 0, MESSAGE).allowed_mentions
        == NO_MENTIONS
        == AllowedMentions((), roles=False, replied_user=False)
    )
    assert build_outgoing("t", 0, MESSAGE, AllowedMentions((7,))).allowed_mentions.users == (7,)


def test_message_tag_identifies_turn_and_part() -> None:
    names = {make_message_tag(turn, part) for turn in ("a", "b", "\ud800") for part in range(100)}

    assert len(names) == 300
    assert all(MESSAGE_TAG_BASE <= name < 2**31 for name in names)
    assert is_same_turn(make_message_tag("a", 0), make_message_tag("a", 99))
    assert not is_same_turn(make_message_tag("a", 0), make_message_tag("b", 0))
    assert build_outgoing("a", 3, Message("x"), tagged=True).message_tag == make_message_tag("a", 3)
    assert build_outgoing("a", 3, Message("x"), tagged=True).card
    assert build_outgoing("a", 3, Message("x")).message_tag == 0
