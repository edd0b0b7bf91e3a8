from __future__ import annotations

import asyncio
import io
import os
import pty
import termios

import pytest

from streamcord._demo.line_editor import LineEditor
from streamcord._demo.prompt_line import PromptLine, open_prompt_line, read_typed


def make_line(text: str = "", width: int = 40) -> tuple[PromptLine, io.StringIO, LineEditor]:
    out, editor = io.StringIO(), LineEditor()
    editor.feed(text.encode())
    return PromptLine(out, editor, lambda: width), out, editor


def test_what_is_printed_stands_above_and_the_line_is_drawn_again() -> None:
    prompt_line, out, _ = make_line("half a li")
    prompt_line.draw()
    prompt_line.around(lambda: print("a message", file=out))

    assert out.getvalue() == "\r\x1b[J> half a li\r\x1b[Ja message\n\r\x1b[J> half a li"


def test_a_status_line_is_erased_with_the_line() -> None:
    prompt_line, out, _ = make_line()
    prompt_line.status = lambda: "Luna is typing"
    prompt_line.draw()
    prompt_line.status = lambda: ""
    prompt_line.draw()

    assert out.getvalue() == "\r\x1b[J\x1b[2mLuna is typing\x1b[0m\n> \r\x1b[A\x1b[J> "


def test_a_long_line_is_shown_around_its_cursor() -> None:
    prompt_line, out, editor = make_line("x" * 100 + "end")
    prompt_line.draw()
    assert out.getvalue().endswith("end")
    assert len(out.getvalue().rpartition("\x1b[J")[2]) < 40
    editor.feed(b"\x01")
    prompt_line.draw()
    assert out.getvalue().rpartition("\x1b[J")[2].startswith("> xxx")


def test_the_cursor_goes_back_by_cells_not_letters() -> None:
    prompt_line, out, editor = make_line("好好")
    editor.feed(b"\x1b[D")
    prompt_line.draw()

    assert out.getvalue().endswith("\x1b[2D")


async def test_keys_become_lines_and_the_terminal_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    lines: list[str] = []
    with os.fdopen(theirs, "r") as screen, os.fdopen(os.dup(theirs), "w") as out:
        monkeypatch.setattr("sys.stdin", screen)
        monkeypatch.setattr("sys.stdout", out)
        with open_prompt_line() as (prompt_line, editor):
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"hello\rbye\r\x04")
            async with asyncio.timeout(5):
                await read_typed(prompt_line, editor, lines.append)
        after = termios.tcgetattr(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)

    assert lines == ["hello", "bye"]
    assert after == before
    assert b"> " in shown
