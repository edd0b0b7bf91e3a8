from __future__ import annotations

import io
import json

from streamcord import Attachment, Ending, Message, ThoughtLog, TurnResult, Usage
from streamcord._lab.terminal import Terminal


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
