"""Prints what happens in a channel, message by message; of a message that grows only what is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from streamcord._lab.drawing import QUIET, draw_content
from streamcord._lab.terminal import mask_controls
from streamcord.twin import Message

from .draw_message import draw_message, indented, shorten, words_of

__all__ = ["Screen", "find_growth"]


CLOSERS = 8
"""Characters at most by which what is open is closed at the end of a message that grows."""


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
            self.print(indented(draw_content(new)))
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
            self.note(f"  ✗ deleted: {shorten(words)}")
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
