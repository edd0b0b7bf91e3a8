from __future__ import annotations

import pytest

from streamcord import Attachment, Captured, Dropped, Halt, Message, Speaker
from streamcord._lab.outcome import PlannedAnswer
from streamcord._lab.plain import draw_plain, label_delay, list_remains, mask_controls, sum_line


def shown(*messages: Message) -> PlannedAnswer:
    book = PlannedAnswer()
    for message in messages:
        book.note(message)
    return book


def test_messages_stand_beside_their_delays_under_their_speaker() -> None:
    mad = Speaker("Luna (mad)")
    book = shown(Message("One\nline two"), Message("Two", 1.25), Message("Hmph", 0.75, mad))

    assert list(draw_plain(book, "Luna")) == [
        "            Luna",
        "  at once | One",
        "          | line two",
        "   +1.2 s | Two",
        "",
        "            Luna (mad)",
        "   +0.8 s | Hmph",
        "",
        "            3 messages in 2.0 s",
    ]


def test_what_nobody_sees_comes_below() -> None:
    book = shown(Message("One", files=(Attachment("t.png", b""),)))
    book.note(Captured("think", "hm\nhm", ()))
    book.note(Captured("details", "memo", ()))
    book.note(Dropped("..", "fragment", ()))
    book.note(Halt("message_cap"))

    assert list(draw_plain(book, "Luna"))[1:] == [
        "  at once | One",
        "          | [t.png]",
        "",
        "            thought",
        "              hm",
        "              hm",
        "",
        "            details",
        "              memo",
        "",
        "            dropped (fragment)",
        "              ..",
        "",
        "            halted",
        "              message_cap",
        "",
        "            1 message in 0.0 s",
    ]


def test_an_empty_answer_is_drawn_as_nothing_said() -> None:
    assert list(draw_plain(shown(), "Luna")) == ["", "            0 messages in 0.0 s"]
    assert list(list_remains(shown())) == []
    assert sum_line(shown()) == "0 messages in 0.0 s"


def test_delays_are_short() -> None:
    assert [label_delay(0.0), label_delay(0.75), label_delay(12.34)] == ["at once", "+0.8 s", "+12.3 s"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x00\x7f\x9b", "␀␡□"),
        ("abc\u202edcba", "abc□dcba"),
        ("\ud800", "\ufffd"),
        ("naïve 好 👩‍👩‍👧 שלום", "naïve 好 👩‍👩‍👧 שלום"),
    ],
)
def test_a_terminal_is_never_given_orders(text: str, masked: str) -> None:
    assert mask_controls(text) == masked
