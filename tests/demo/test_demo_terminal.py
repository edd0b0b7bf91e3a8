from __future__ import annotations

import asyncio
import io
import os
import pty
import termios
from dataclasses import replace

import pytest
from rich.console import Console

from streamcord._demo.demo_terminal import (
    LineEditor,
    PromptLine,
    Screen,
    buttons_of,
    find_growth,
    open_prompt_line,
    read_typed,
)
from streamcord._twin.state.model import Draft
from streamcord.twin import Twin


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


# --- The messages above it ------------------------------------------------------------------------------


def make_screen() -> tuple[Screen, io.StringIO, Twin]:
    out = io.StringIO()
    return Screen(Console(file=out, width=60, color_system=None)), out, Twin()


def test_the_name_stands_once_over_a_block_and_control_characters_are_pictures() -> None:
    screen, out, twin = make_screen()
    for text in ("**one**", "two \x1b[31m", "three"):
        screen.show(twin.state.post(twin.channel, twin.bot.user, Draft(content=text)))
    screen.show(twin.state.post(twin.channel, twin.user, Draft(content="four")))

    assert [line.rstrip() for line in out.getvalue().splitlines()] == [
        "",
        "streamcord  APP",
        "  one",
        "  two ␛[31m",
        "  three",
        "",
        "alice",
        "  four",
    ]


def test_files_embeds_and_replies_are_shown() -> None:
    screen, out, twin = make_screen()
    first = twin.say(twin.channel, twin.user, "question " * 20, files={"a.png": b"\x89PNG\r\n\x1a\n"})
    draft = Draft(
        content="answer", reply_to=first, embeds=({"title": "T", "fields": [{"name": "n", "value": "v"}]},)
    )
    screen.show(first)
    screen.show(twin.state.post(twin.channel, twin.bot.user, draft))

    assert "▣ a.png 8 bytes" in out.getvalue()
    assert "┌ alice: question question" in out.getvalue()
    assert "│ T" in out.getvalue()
    assert "│ n: v" in out.getvalue()


def test_a_message_is_drawn_again_only_when_its_words_change() -> None:
    screen, out, twin = make_screen()
    message = twin.say(twin.channel, twin.user, "one")
    screen.show(message)
    screen.show(message)
    message.draft = replace(message.draft, content="two")
    screen.show(message)
    screen.drop(message.id)
    screen.drop(message.id)

    assert out.getvalue().count("one") == 1
    assert "two\n  (edited)" in out.getvalue()
    assert out.getvalue().count("✗ deleted: two") == 1


def test_an_empty_answer_to_a_command_is_not_drawn_until_it_is_written() -> None:
    screen, out, twin = make_screen()
    message = twin.state.post(twin.channel, twin.bot.user, Draft())
    screen.show(message)
    assert out.getvalue() == ""
    message.draft = replace(message.draft, content="here")
    screen.show(message)

    assert "here" in out.getvalue()
    assert "(edited)" not in out.getvalue()


def test_buttons_are_found_in_their_rows() -> None:
    _, _, twin = make_screen()
    row = {"type": 1, "components": [{"type": 2, "label": "Stop", "custom_id": "s"}, {"type": 2, "url": "u"}]}
    message = twin.state.post(twin.channel, twin.bot.user, Draft(content="x", components=(row,)))

    assert buttons_of(message) == {"Stop": "s"}


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [
        ("Once upon", "Once upon a time", "a time"),
        ("A **bold**", "A **bold word** here", "word** here"),
        ("Look:\n```py\na = 1\n```", "Look:\n```py\na = 1\nb = 2\n```", "```py\nb = 2\n```"),
        ("One.", "One.\n\nTwo.", "\nTwo."),
        ("Hello there, friend", "Something else that is longer", ""),
        ("Longer before", "Long", ""),
    ],
)
def test_of_a_message_that_grows_only_the_new_words_are_printed(before: str, now: str, new: str) -> None:
    assert find_growth(before, now) == new


async def test_a_message_of_components_is_printed_with_its_frame_and_its_buttons() -> None:
    screen, out, twin = make_screen()
    async with twin:
        text, frame = {"type": 10, "content": "Hi there"}, {"type": 17, "components": []}
        button = {"type": 2, "style": 2, "label": "Source", "custom_id": "s"}
        frame["components"] = [{"type": 10, "content": "a | b"}, {"type": 1, "components": [button]}]
        message = twin.say(twin.channel, twin.user, "Hi")
        message.draft = replace(message.draft, content="", components=(text, frame))
        screen.show(message)

    assert "  Hi there\n  │ a | b" in out.getvalue()
    assert buttons_of(message) == {"Source": "s"}
