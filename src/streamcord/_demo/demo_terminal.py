"""The demo's terminal: an input line at the bottom, and above it messages, drawn as on Discord.

`LineEditor` is the line itself: keys in, finished lines out, no I/O. `PromptLine` keeps it at the bottom of a
terminal, with the line about who is typing. `Screen` prints what happens in a channel.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from streamcord._lab.drawing import LOOKS, QUIET, author, draw_content
from streamcord._lab.terminal import mask_controls
from streamcord.twin import Message

__all__ = [
    "LineEditor",
    "PromptLine",
    "Screen",
    "buttons_of",
    "draw_message",
    "find_growth",
    "open_prompt_line",
    "read_typed",
    "words_of",
]

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


# --- The messages above it ------------------------------------------------------------------------------


ALT_LENGTH = 400
QUOTE_LENGTH = 60
TEXT_DISPLAY = 10
CLOSERS = 8
"""Characters at most by which what is open is closed at the end of a message that grows."""


def draw_message(message: Message, *, heads: bool) -> RenderableType:
    """Draw one message; the first of a block (`heads`) has the name."""
    parts: list[RenderableType] = []
    if heads:
        parts.append(Text(""))
    if message.draft.reply_to is not None:
        parts.append(Text(f"┌ {_quote(message.draft.reply_to)}", QUIET))
    if heads:
        parts.append(author(message.shown_name, machine=message.by_machine))
    if words := words_of(message):
        parts.append(_indented(draw_content(words)))
    parts += [_indented(_draw_embed(embed)) for embed in message.draft.embeds]
    for file in message.attachments:
        size = f" {file.width}×{file.height}" if file.width else f" {len(file.content)} bytes"
        parts.append(_indented(Text(f"▣ {mask_controls(file.filename)}{size}", LOOKS["link"])))
        if file.description:
            parts.append(_indented(_barred(file.description[:ALT_LENGTH])))
    # Of a table the rows were just shown.
    parts += [_indented(_barred(text)) for text in _framed(message) if not message.attachments]
    if message.is_ephemeral:
        parts.append(_indented(Text("only you can see this", QUIET)))
    return Group(*parts)


def words_of(message: Message) -> str:
    """What a message says, plain or of Components V2; what stands in a frame is shown apart."""
    texts = (str(one["content"]) for one in message.draft.components if one.get("type") == TEXT_DISPLAY)
    return message.content or "".join(texts)


def _framed(message: Message) -> list[str]:
    frames = (one.get("components") or () for one in message.draft.components)
    return [str(one["content"]) for frame in frames for one in frame if one.get("type") == TEXT_DISPLAY]


def _all_components(components: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for one in components:
        yield one
        yield from _all_components(one.get("components") or ())


def buttons_of(message: Message) -> dict[str, str]:
    """The label of every button below a message, with its id."""
    inner = _all_components(message.draft.components)
    return {str(one.get("label") or "?"): str(one["custom_id"]) for one in inner if "custom_id" in one}


class Screen:
    """Prints what happens in one channel; `around` hides the line that is being typed while it prints."""

    def __init__(
        self, console: Console, around: Callable[[Callable[[], None]], None] = lambda act: act()
    ) -> None:
        self._console = console
        self._around = around
        self._speaker: tuple[int, str] = (0, "")
        self._texts: dict[int, str] = {}

    def open(self, title: str, messages: Sequence[Message], count: int) -> None:
        """Show another channel: its last messages."""
        self._speaker = (0, "")
        self._texts.clear()
        self.rule(title)
        if len(messages) > count:
            self.note(f"  ({len(messages) - count} older)")
        for message in messages[-count:]:
            self.show(message)

    def show(self, message: Message) -> None:
        """Print a message that is new, or whose words have changed; of one that grows only what is new."""
        known, words = self._texts.get(message.id), words_of(message)
        empty = not (words or message.attachments or message.draft.embeds or message.draft.components)
        # A bot that thinks before it answers a command has an empty message for the time being.
        if known == words or (empty and known is None):
            return
        self._texts[message.id] = words
        if known and message.by_machine and (new := find_growth(known, words)):
            self.print(_indented(draw_content(new)))
            return
        speaker = (message.author.id, message.shown_name)
        heads = speaker != self._speaker or message.draft.reply_to is not None
        self._speaker = speaker
        drawn = draw_message(message, heads=heads)
        self.print(Group(drawn, Text("  (edited)", QUIET)) if known is not None else drawn)

    def drop(self, message_id: int) -> None:
        """Print that a message was deleted."""
        words = self._texts.pop(message_id, "")
        if words:
            self.note(f"  ✗ deleted: {_short(words)}")
            self._speaker = (0, "")

    def note(self, text: str) -> None:
        """Print a quiet line that is not from Discord."""
        self.print(Text(text, QUIET))

    def say(self, text: str) -> None:
        """Print words of the demo itself."""
        self.print(Padding(Text.from_markup(text), (1, 0, 0, 0)))
        self._speaker = (0, "")

    def rule(self, title: str) -> None:
        """Print a line across the terminal."""
        self._around(lambda: self._console.rule(Text(mask_controls(title)), style=QUIET, align="left"))

    def print(self, drawn: RenderableType) -> None:
        """Print anything on lines of its own."""
        self._around(lambda: self._console.print(drawn))


def find_growth(before: str, now: str) -> str:
    """What a message says now that it did not say before; empty if it did not just grow."""
    pairs = zip(before, now, strict=False)
    same = now[: next((at for at, (old, new) in enumerate(pairs) if old != new), len(before))]
    if len(now) <= len(before) or len(before) - len(same) > CLOSERS:
        return ""
    new = now[len(same) :]
    # Code goes on as code.
    fences = [line for line in same.split("\n") if line.startswith("```")]
    if len(fences) % 2:
        return f"{fences[-1]}\n{new.lstrip(chr(10))}"
    return ("\n" if new.startswith("\n\n") else "") + new.strip()


def _draw_embed(embed: Mapping[str, Any]) -> RenderableType:
    said = [(embed.get("author") or {}).get("name"), embed.get("title"), embed.get("description")]
    said += [f"{field['name']}: {field['value']}" for field in embed.get("fields") or ()]
    return _barred("\n".join(str(one) for one in said if one))


def _barred(text: str) -> RenderableType:
    return Text("\n".join(f"│ {line}" for line in mask_controls(text).split("\n")), QUIET)


def _indented(drawn: RenderableType) -> RenderableType:
    return Padding(drawn, (0, 0, 0, 2), expand=False)


def _quote(message: Message) -> str:
    return f"{mask_controls(message.shown_name)}: {_short(message.content)}"


def _short(text: str) -> str:
    line = " ".join(mask_controls(text).split())
    return line if len(line) <= QUOTE_LENGTH else line[: QUOTE_LENGTH - 1] + "…"
