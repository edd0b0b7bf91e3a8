"""Tests of the demo's input line, with prompt_toolkit's own fake terminal and with a pseudo terminal."""

from __future__ import annotations

import asyncio
import os
import pty
import termios
import tty

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from streamcord_bot.demo.prompt_line import PromptLine, open_prompt_line, pass_ctrl_d_through


async def typed(keys: str) -> list[str]:
    """The lines that these keys make."""
    lines: list[str] = []
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        async with asyncio.timeout(5):
            await PromptLine().read_lines(lines.append)
    return lines


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("hello", "hello"),
        ("hellp\x7fo", "hello"),
        ("ac\x1b[Db", "abc"),
        ("bc\x01a", "abc"),
        ("abc\x1b[H\x1b[3~", "bc"),
        ("one two\x17", "one "),
        ("one two\x15x", "x"),
        ("zü好", "zü好"),
    ],
)
async def test_editing_keys_change_the_line(keys: str, line: str) -> None:
    assert await typed(f"{keys}\r\x04") == [line]


async def test_several_lines_may_be_typed_ahead() -> None:
    assert await typed("one\rtwo\r\x04") == ["one", "two"]


async def test_pasted_lines_are_run_one_by_one() -> None:
    assert await typed("\x1b[200~one\ntwo\x1b[201~\r\x04") == ["one", "two"]


async def test_arrow_up_recalls_earlier_lines() -> None:
    lines: list[str] = []
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        reading = asyncio.create_task(PromptLine().read_lines(lines.append))
        pipe.send_text("one\rtwo\r")
        # The history of a new line is loaded by a task of its own.
        await asyncio.sleep(0.2)
        pipe.send_text("\x1b[A\x1b[A\r\x04")
        async with asyncio.timeout(5):
            await reading

    assert lines == ["one", "two", "one"]


async def test_ctrl_d_ends_only_an_empty_line() -> None:
    assert await typed("a\x04b\r\x04") == ["ab"]


async def test_ctrl_c_cancels_the_reader() -> None:
    with pytest.raises(asyncio.CancelledError):
        await typed("half a li\x03")


async def test_ctrl_c_stops_an_answer_instead_of_ending_the_demo() -> None:
    lines: list[str] = []
    answering = [True, False]
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        prompt_line = PromptLine()
        prompt_line.interrupt = lambda: answering.pop(0)
        pipe.send_text("\x03still here\r\x03")
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(5):
                await prompt_line.read_lines(lines.append)

    assert lines == ["still here"]


async def test_tab_completes_the_line() -> None:
    lines: list[str] = []
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        prompt_line = PromptLine()
        prompt_line.complete = lambda typed: ["/persona list "] if typed == "/persona l" else []
        pipe.send_text("/persona l\tnow\r\x04")
        async with asyncio.timeout(5):
            await prompt_line.read_lines(lines.append)

    assert lines == ["/persona list now"]


def test_typing_indicator_is_above_the_prompt() -> None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        line = PromptLine()
        assert [text for _, text, *_ in line._message()] == ["> "]
        line.status = lambda: "Luna is typing"
        assert [text for _, text, *_ in line._message()] == ["Luna is typing\n", "> "]


async def test_terminal_is_restored_and_output_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    # This pseudo terminal does not answer cursor position requests, and a warning would come two seconds later.
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    lines: list[str] = []
    with os.fdopen(theirs, "r") as screen, os.fdopen(os.dup(theirs), "w") as out:
        monkeypatch.setattr("sys.stdin", screen)
        monkeypatch.setattr("sys.stdout", out)
        with create_app_session(), open_prompt_line() as prompt_line:
            prompt_line.prompt = lambda: "you:"
            reading = asyncio.create_task(prompt_line.read_lines(lines.append))
            shown = b""
            async with asyncio.timeout(5):
                # Keys count only after the terminal is in raw mode, which it is once the prompt is drawn.
                while b"you:" not in shown:
                    shown += await asyncio.to_thread(os.read, ours, 65536)
                print("a message")
                while b"a message" not in shown:
                    shown += await asyncio.to_thread(os.read, ours, 65536)
                os.write(ours, b"hello\rbye\r\x04")
                await reading
        after = termios.tcgetattr(theirs)
    os.close(ours)

    assert lines == ["hello", "bye"]
    assert after == before


def test_ctrl_d_is_not_lost_while_a_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", buffering=0) as keys, os.fdopen(theirs, "r") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        with pass_ctrl_d_through():
            # The terminal is in line mode, as it is whenever prompt_toolkit prints something above the prompt.
            keys.write(b"\x04")
            tty.setraw(theirs, termios.TCSANOW)
            os.set_blocking(theirs, False)
            assert os.read(theirs, 8) == b"\x04"
