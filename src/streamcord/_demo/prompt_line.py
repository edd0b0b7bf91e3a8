"""An input line at the bottom of a terminal, and above it who is typing on Discord.

`LineEditor` is the line itself: keys in, finished lines out, no I/O.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.cells import cell_len

__all__ = ["LineEditor", "PromptLine", "open_prompt_line", "read_typed"]


_KEYS = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1bOH": "home",
    "\x1bOF": "end",
    "\x1b[3~": "delete",
    "\x01": "home",
    "\x05": "end",
    "\x02": "left",
    "\x06": "right",
    "\x10": "up",
    "\x0e": "down",
    "\x7f": "back",
    "\x08": "back",
    "\x15": "clear",
    "\x17": "word",
    "\r": "enter",
    "\n": "enter",
    "\x04": "eof",
}
_HISTORY_CAP = 100


class LineEditor:
    """The text that is being typed, the cursor, and the history."""

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        self.ended = False
        """Ctrl-D on an empty line."""
        self._history: list[str] = []
        self._turn = 0
        self._lines: list[str] = []
        self._half = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, keys: bytes) -> list[str]:
        """Process typed bytes; returns the lines that they finished."""
        text = self._half + self._decoder.decode(keys)
        self._half = ""
        at = 0
        while at < len(text):
            key, length = _next_key(text, at)
            if not length:
                self._half = text[at:]
                break
            at += length
            self._press(key)
        lines, self._lines = self._lines, []
        return lines

    def _press(self, key: str) -> None:
        action = _KEYS.get(key)
        if action is not None:
            getattr(self, f"_{action}")()
        elif key.isprintable():
            self.text = self.text[: self.at] + key + self.text[self.at :]
            self.at += len(key)

    def _left(self) -> None:
        self.at = max(0, self.at - 1)

    def _right(self) -> None:
        self.at = min(len(self.text), self.at + 1)

    def _home(self) -> None:
        self.at = 0

    def _end(self) -> None:
        self.at = len(self.text)

    def _back(self) -> None:
        if self.at:
            self.text = self.text[: self.at - 1] + self.text[self.at :]
            self.at -= 1

    def _delete(self) -> None:
        self.text = self.text[: self.at] + self.text[self.at + 1 :]

    def _clear(self) -> None:
        self.text = self.text[self.at :]
        self.at = 0

    def _word(self) -> None:
        kept = self.text[: self.at].rstrip()
        kept = kept[: kept.rfind(" ") + 1]
        self.text, self.at = kept + self.text[self.at :], len(kept)

    def _up(self) -> None:
        self._recall(min(self._turn + 1, len(self._history)))

    def _down(self) -> None:
        self._recall(max(self._turn - 1, 0))

    def _recall(self, turn: int) -> None:
        self._turn = turn
        self.text = self._history[-turn] if turn else ""
        self.at = len(self.text)

    def _enter(self) -> None:
        self._lines.append(self.text)
        if self.text.strip():
            self._history = [*self._history, self.text][-_HISTORY_CAP:]
        self.text, self.at, self._turn = "", 0, 0

    def _eof(self) -> None:
        self.ended = self.ended or not self.text


def _next_key(text: str, at: int) -> tuple[str, int]:
    """The key at an index and its length; a length of 0 means that it is not complete."""
    if text[at] != "\x1b":
        return text[at], 1
    if len(text) - at < 2:
        return "", 0
    if text[at + 1] not in "[O":
        return "", 2
    for end in range(at + 2, min(len(text), at + 12)):
        if "@" <= text[end] <= "~":
            return text[at : end + 1], end + 1 - at
    return "", 0 if len(text) - at < 12 else 12


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
