"""Lines come from a file or from a terminal, which is left as it was found."""

from __future__ import annotations

import asyncio
import os
import pty
import termios
from pathlib import Path

import pytest

from streamcord._demo.typing_lines import open_bottom, read_lines, read_typed


async def test_lines_of_a_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\nzwei ü\n", encoding="utf-8")

    assert [line async for line in read_lines(str(tmp_path / "a"))] == ["one\n", "zwei ü\n"]


async def test_keys_become_lines_and_the_terminal_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    lines: list[str] = []
    with os.fdopen(theirs, "r") as screen, os.fdopen(os.dup(theirs), "w") as out:
        monkeypatch.setattr("sys.stdin", screen)
        monkeypatch.setattr("sys.stdout", out)
        with open_bottom() as (bottom, editor):
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"hello\rbye\r\x04")
            async with asyncio.timeout(5):
                await read_typed(bottom, editor, lines.append)
        after = termios.tcgetattr(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)

    assert lines == ["hello", "bye"]
    assert after == before
    assert b"> " in shown
