"""Prints the messages of a channel in the terminal as they come, drawn as on Discord."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from streamcord._lab.drawing import LOOKS, QUIET, author, draw_content
from streamcord._lab.terminal import mask_controls
from streamcord.twin import Message

__all__ = ["Screen", "buttons_of", "draw_message"]

ALT_LENGTH = 400
QUOTE_LENGTH = 60


def draw_message(message: Message, *, heads: bool) -> RenderableType:
    """Draw one message; the first of a block (`heads`) has the name."""
    parts: list[RenderableType] = []
    if heads:
        parts.append(Text(""))
    if message.draft.reply_to is not None:
        parts.append(Text(f"┌ {_quote(message.draft.reply_to)}", QUIET))
    if heads:
        parts.append(author(message.shown_name, machine=message.by_machine))
    if message.content:
        parts.append(_indented(draw_content(message.content)))
    parts += [_indented(_draw_embed(embed)) for embed in message.draft.embeds]
    for file in message.attachments:
        size = f" {file.width}×{file.height}" if file.width else f" {len(file.content)} bytes"
        parts.append(_indented(Text(f"▣ {mask_controls(file.filename)}{size}", LOOKS["link"])))
        if file.description:
            parts.append(_indented(_barred(file.description[:ALT_LENGTH])))
    if message.is_ephemeral:
        parts.append(_indented(Text("only you can see this", QUIET)))
    return Group(*parts)


def buttons_of(message: Message) -> dict[str, str]:
    """The label of every button below a message, with its id."""
    rows = message.draft.components
    inner = [one for row in rows for one in (row.get("components") or [row])]
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

    def open(self, title: str, messages: Iterable[Message]) -> None:
        """Show another channel."""
        self._speaker = (0, "")
        self._texts.clear()
        self.rule(title)
        for message in messages:
            self.show(message)

    def show(self, message: Message) -> None:
        """Print a message that is new, or whose words have changed."""
        known = self._texts.get(message.id)
        empty = not (message.content or message.attachments or message.draft.embeds)
        # A bot that thinks before it answers a command has an empty message for the time being.
        if known == message.content or (empty and known is None):
            return
        self._texts[message.id] = message.content
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
