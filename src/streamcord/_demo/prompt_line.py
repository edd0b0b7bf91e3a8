"""An input line at the bottom of a terminal, and above it who is typing on Discord."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.cells import cell_len

from .line_editor import LineEditor

__all__ = ["PromptLine", "open_prompt_line", "read_typed"]


class PromptLine:
    """Draws the last lines of the terminal: who is typing on Discord, and the input line."""

    def __init__(self, out: TextIO, editor: LineEditor, width: Callable[[], int]) -> None:
        self._out = out
        self._editor = editor
        self._width = width
        self._rows = 0
        self.prompt: Callable[[], str] = lambda: "> "
        self.status: Callable[[], str] = lambda: ""

    def draw(self) -> None:
        """Draw the lines again."""
        width = max(self._width(), 20)
        self.erase()
        prompt, status = self.prompt(), self.status()
        if status:
            self._out.write(f"\x1b[2m{status[: width - 1]}\x1b[0m\n")
            self._rows = 1
        before, after = self._window(width - cell_len(prompt) - 1)
        back = cell_len(after)
        self._out.write(f"{prompt}{before}{after}" + (f"\x1b[{back}D" if back else ""))
        self._out.flush()

    def _window(self, room: int) -> tuple[str, str]:
        """The part of the line around the cursor that fits."""
        before, after = self._editor.text[: self._editor.at], self._editor.text[self._editor.at :]
        while cell_len(before) > max(room - 8, 1):
            before = before[1:]
        while after and cell_len(before) + cell_len(after) > room:
            after = after[:-1]
        return before, after

    def erase(self) -> None:
        """Erase the lines, so that something can be printed."""
        self._out.write("\r" + "\x1b[A" * self._rows + "\x1b[J")
        self._rows = 0

    def around(self, act: Callable[[], None]) -> None:
        """Call `act`, which prints something, above the input line."""
        self.erase()
        self._out.flush()
        act()
        self.draw()


REFRESH = 0.5


@contextmanager
def open_prompt_line() -> Iterator[tuple[PromptLine, LineEditor]]:
    """An input line that gets single keys; the terminal is reset at the end of the block."""
    import termios  # noqa: PLC0415  (not on every system)
    import tty  # noqa: PLC0415

    editor = LineEditor()
    prompt_line = PromptLine(sys.stdout, editor, lambda: shutil.get_terminal_size().columns)
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield prompt_line, editor
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        prompt_line.erase()
        sys.stdout.flush()


async def read_typed(prompt_line: PromptLine, editor: LineEditor, take: Callable[[str], None]) -> None:
    """Pass each typed line to `take`, until Ctrl-D."""
    loop = asyncio.get_running_loop()
    keys: asyncio.Queue[bytes] = asyncio.Queue()
    descriptor = sys.stdin.fileno()
    loop.add_reader(descriptor, lambda: keys.put_nowait(os.read(descriptor, 1024)))
    try:
        while not editor.ended:
            prompt_line.draw()
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
