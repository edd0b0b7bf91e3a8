from __future__ import annotations

import io
import json

import pytest

from streamcord import Attachment, Captured, Ending, FinishReason, Halt, Message, Speaker, TurnResult, Usage
from streamcord._preview.plain_output import (
    Terminal,
    draw_plain,
    label_delay,
    list_hidden_text,
    mask_controls,
    summary_line,
)
from streamcord._preview.planned_answer import PlannedAnswer
from streamcord.records import Dropped, ThoughtLog


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_messages_are_printed_with_their_time() -> None:
    times = iter([0.0, 1.25, 2.0])
    out = io.StringIO()
    terminal = Terminal(out, io.StringIO(), "Luna", lambda: next(times))

    await terminal.send(Message("One\ntwo\x1b[31m"))
    receipt = await terminal.send(Message("", files=(Attachment("rest.txt", b""),)))
    terminal.close(TurnResult(Ending.COMPLETED, usage=Usage(1, 5)))

    assert receipt.id == 2
    assert out.getvalue() == (
        "    1.2 s | One\n          | two␛[31m\n    2.0 s | [rest.txt]\n"
        "\n            completed: 2 messages, 5 tokens\n"
    )


async def test_a_file_is_named_and_read_out_and_thoughts_are_counted() -> None:
    out = io.StringIO()
    terminal = Terminal(out, io.StringIO(), "Luna", lambda: 0.0)

    await terminal.send(Message("Look:", files=(Attachment("table.png", b"", "a, b\n1, 2"),)))
    terminal.close(TurnResult(Ending.COMPLETED, thoughts=ThoughtLog(raw="Hmm.")))

    assert out.getvalue() == (
        "    0.0 s | Look:\n          | [table.png]\n          |   a, b\n          |   1, 2\n"
        "\n            completed: 1 message, 4 characters of thought\n"
    )


async def test_an_answer_that_the_provider_cut_short_says_so() -> None:
    out = io.StringIO()
    terminal = Terminal(out, io.StringIO(), "Luna", lambda: 0.0)
    terminal.close(TurnResult(Ending.COMPLETED, finish_reason=FinishReason.LENGTH))

    assert out.getvalue() == "\n            completed, cut short by the provider (length): 0 messages\n"


async def test_the_typing_line_is_drawn_once_and_taken_away() -> None:
    screen = Screen()
    terminal = Terminal(io.StringIO(), screen, "Luna", lambda: 0.0)

    await terminal.typing()
    await terminal.typing()
    assert screen.getvalue().count("Luna is typing") == 1
    await terminal.send(Message("Hi."))

    assert screen.getvalue().endswith("\r\x1b[K")


async def test_no_typing_line_where_it_cannot_be_taken_away() -> None:
    plain, screen = io.StringIO(), Screen()
    await Terminal(io.StringIO(), plain, "Luna", lambda: 0.0).typing()
    await Terminal(io.StringIO(), screen, "Luna", lambda: 0.0, as_json=True).typing()

    assert plain.getvalue() == screen.getvalue() == ""


async def test_json_is_a_line_per_message_and_one_for_the_result() -> None:
    out = io.StringIO()
    terminal = Terminal(out, io.StringIO(), "Luna", lambda: 0.0, as_json=True)

    await terminal.send(Message("Hi."))
    terminal.close(TurnResult(Ending.EMPTY_RESPONSE, text="Hi.", thoughts=ThoughtLog(raw="Hmm.")))

    message, result = map(json.loads, out.getvalue().splitlines())
    assert (message["type"], message["content"], message["at"]) == ("message", "Hi.", 0.0)
    assert (result["type"], result["ending"], result["usage"]) == ("result", "empty_response", None)
    assert (result["text"], result["thoughts"]) == ("Hi.", {"summary": "", "raw": "Hmm."})
    assert result["counts"]["messages"] == 0


def shown(*messages: Message) -> PlannedAnswer:
    book = PlannedAnswer()
    for message in messages:
        book.record(message)
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
    book.record(Captured("think", "hm\nhm", ()))
    book.record(Captured("details", "memo", ()))
    book.record(Dropped("..", "fragment", ()))
    book.record(Halt("message_cap"))

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
    assert list(list_hidden_text(shown())) == []
    assert summary_line(shown()) == "0 messages in 0.0 s"


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
