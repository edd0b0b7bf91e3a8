"""Reads what a person types in a terminal, key by key, while messages come in above the line."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from .line_editor import Bottom, LineEditor

__all__ = ["open_bottom", "read_lines", "read_typed"]

REFRESH = 0.5


@contextmanager
def open_bottom() -> Iterator[tuple[Bottom, LineEditor]]:
    """The bottom line of this terminal, key by key; put back as it was at the end."""
    import termios  # noqa: PLC0415  (not on every system)
    import tty  # noqa: PLC0415

    editor = LineEditor()
    bottom = Bottom(sys.stdout, editor, lambda: shutil.get_terminal_size().columns)
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield bottom, editor
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        bottom.erase()
        sys.stdout.flush()


async def read_typed(bottom: Bottom, editor: LineEditor, take: Callable[[str], None]) -> None:
    """Hand over each line that is typed, until Ctrl-D."""
    loop = asyncio.get_running_loop()
    keys: asyncio.Queue[bytes] = asyncio.Queue()
    descriptor = sys.stdin.fileno()
    loop.add_reader(descriptor, lambda: keys.put_nowait(os.read(descriptor, 1024)))
    try:
        while not editor.ended:
            bottom.draw()
            try:
                typed = await asyncio.wait_for(keys.get(), REFRESH)
            except TimeoutError:
                continue
            if not typed:
                return
            for line in editor.feed(typed):
                take(line)
    finally:
        loop.remove_reader(descriptor)


async def read_lines(path: str) -> AsyncIterator[str]:
    """The lines of a file, or of standard input as they come."""
    if path != "-":
        for line in await asyncio.to_thread(_read, path):
            yield line
        return
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


def _read(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  (may be a pipe)
        return file.readlines()
