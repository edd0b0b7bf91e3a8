from __future__ import annotations

import asyncio
import io
import os
import pty
import termios

import pytest

from streamcord._demo.prompt_line import LineEditor, PromptLine, open_prompt_line, read_typed


def typed(*pieces: str | bytes) -> tuple[list[str], str, int]:
    editor = LineEditor()
    lines = []
    for piece in pieces:
        lines += editor.feed(piece.encode() if isinstance(piece, str) else piece)
    return lines, editor.text, editor.at


@pytest.mark.parametrize(
    ("keys", "text", "at"),
    [
        ("hello", "hello", 5),
        ("hellp\x7fo", "hello", 5),
        ("ac\x1b[Db", "abc", 2),
        ("bc\x01a", "abc", 1),
        ("ab\x01\x05c", "abc", 3),
        ("abc\x1b[H\x1b[3~", "bc", 0),
        ("one two\x17", "one ", 4),
        ("one two\x15x", "x", 1),
        ("a\x7f\x7f\x7fb", "b", 1),
        ("a\x1b[D\x1b[D\x1b[C\x1b[Cb", "ab", 2),
        ("a\x1b[200~b", "ab", 2),
        ("a\x1bxb", "ab", 2),
        ("a\x00\x1b[Zb", "ab", 2),
    ],
)
def test_keys_do_what_they_do_everywhere(keys: str, text: str, at: int) -> None:
    assert typed(keys) == ([], text, at)
    # However the terminal slices them.
    assert typed(*[bytes([byte]) for byte in keys.encode()]) == ([], text, at)


def test_enter_finishes_lines_and_several_may_come_at_once() -> None:
    assert typed("one\ntwo\rthree") == (["one", "two"], "three", 5)


def test_letters_that_arrive_in_halves_are_put_together() -> None:
    assert typed(b"z\xc3", b"\xbc", "好"[:1]) == ([], "zü好", 3)


def test_a_broken_escape_does_not_swallow_what_follows() -> None:
    assert typed("\x1b[" + "1" * 30 + "ok\n")[0][0].endswith("1ok")


def test_lines_before_come_back() -> None:
    lines, text, _ = typed("one\ntwo\n", "\x1b[A\x1b[A")
    assert (lines, text) == (["one", "two"], "one")
    assert typed("one\ntwo\n", "\x1b[A\x1b[A\x1b[B")[1] == "two"
    assert typed("one\n", "\x1b[A\x1b[B\x1b[B")[1] == ""


def test_ctrl_d_ends_only_an_empty_line() -> None:
    editor = LineEditor()
    editor.feed(b"a\x04")
    assert not editor.ended
    editor.feed(b"\x7f\x04")
    assert editor.ended


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
