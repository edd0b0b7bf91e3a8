"""Print the messages of a channel as Discord shows them; of a live message only the added text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discord_twin import Message
from streamcord.preview import COLORS, QUIET, author, draw_content, mask_controls

ALT_LENGTH = 400
QUOTE_LENGTH = 60
LEFT_COLUMN = 34
TEXT_DISPLAY = 10
CLOSERS = 8
"""A live message ends with up to this many characters that close open Markdown and change with the next edit."""


class Screen:
    """Prints the messages of one channel as they come."""

    def __init__(self, console: Console) -> None:
        self._console = console
        # Replaces the ids of mentions by names; the screen itself knows no people.
        self.name_mentions: Callable[[str], str] = str
        # Author and shown name of the last message: a block of messages has one heading.
        self._speaker: tuple[int, str] = (0, "")
        # The text of each message as it was printed, to print only what an edit adds.
        self._texts: dict[int, str] = {}

    def open(self, title: str, messages: Sequence[Message], count: int) -> None:
        """Show another channel: its last messages."""
        self._speaker = (0, "")
        self._texts.clear()
        self.rule(title)
        if len(messages) > count:
            self.print_quiet(f"  ({len(messages) - count} older)")
        for message in messages[-count:]:
            self.show(message)

    def show(self, message: Message) -> None:
        """Print a message that is new or was edited; of a live message only the added text."""
        known, words = self._texts.get(message.id), self.name_mentions(content_of(message))
        empty = not (words or message.attachments or message.draft.embeds or message.draft.components)
        # A bot that thinks before it answers a command has an empty message for the time being.
        if known == words or (empty and known is None):
            return
        self._texts[message.id] = words
        # A terminal cannot change what it has printed, so growth is printed below.
        if known and message.by_machine and (new := find_appended(known, words)):
            self.print(indented(draw_content(new)))
            return
        speaker = (message.author.id, message.shown_name)
        heads = speaker != self._speaker or message.draft.reply_to is not None
        self._speaker = speaker
        drawn = draw_message(message, words, heads=heads)
        self.print(Group(drawn, Text("  (edited)", QUIET)) if known is not None else drawn)

    def drop(self, message_id: int) -> None:
        """Print that a message was deleted."""
        words = self._texts.pop(message_id, "")
        if words:
            self.print_quiet(f"  ✗ deleted: {shorten(words)}")
            self._speaker = (0, "")

    def print_quiet(self, text: str) -> None:
        """Print a quiet line that is not from Discord."""
        self.print(Text(text, QUIET))

    def print_columns(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print quiet rows of two columns; a long text continues below its own column."""
        table = Table.grid(padding=(0, 2))
        table.add_column(width=LEFT_COLUMN, style=QUIET)
        table.add_column(style=QUIET)
        for left, right in rows:
            table.add_row(Text(left), Text(right))
        self.print(indented(table))

    def say(self, text: str) -> None:
        """Print words of the demo itself."""
        self.print(Padding(Text.from_markup(text), (1, 0, 0, 0)))
        self._speaker = (0, "")

    def rule(self, title: str) -> None:
        """Print a line across the terminal."""
        self._console.rule(Text(mask_controls(title)), style=QUIET, align="left")

    def print(self, drawn: RenderableType) -> None:
        """Print anything on lines of its own."""
        self._console.print(drawn)


def find_appended(before: str, now: str) -> str:
    """Return the text that an edit appended; empty if the edit changed more than that."""
    pairs = zip(before, now, strict=False)
    same = now[: next((at for at, (old, new) in enumerate(pairs) if old != new), len(before))]
    if len(now) <= len(before) or len(before) - len(same) > CLOSERS:
        return ""
    new = now[len(same) :]
    # Text inside an open code block stays code.
    fences = [line for line in same.split("\n") if line.startswith("```")]
    if len(fences) % 2:
        return f"{fences[-1]}\n{new.lstrip(chr(10))}"
    return ("\n" if new.startswith("\n\n") else "") + new.strip()


def draw_message(message: Message, words: str, *, heads: bool) -> RenderableType:
    """Draw one message with these words; the first of a block (`heads`) has the name."""
    parts: list[RenderableType] = []
    if heads:
        parts.append(Text(""))
    if message.draft.reply_to is not None:
        parts.append(Text(f"┌ {_quote(message.draft.reply_to)}", QUIET))
    if heads:
        parts.append(author(message.shown_name, machine=message.by_machine))
    if words:
        parts.append(indented(draw_content(words)))
    parts += [indented(_draw_embed(embed)) for embed in message.draft.embeds]
    for file in message.attachments:
        size = f" {file.width}×{file.height}" if file.width else f" {len(file.content)} bytes"
        parts.append(indented(Text(f"▣ {mask_controls(file.filename)}{size}", COLORS["link"])))
        if file.description:
            parts.append(indented(_barred(file.description[:ALT_LENGTH])))
    # Of a table the rows were just shown.
    parts += [indented(_barred(text)) for text in _framed(message) if not message.attachments]
    if message.is_ephemeral:
        parts.append(indented(Text("only you can see this", QUIET)))
    return Group(*parts)


def content_of(message: Message) -> str:
    """Return the text of a message, plain or of Components V2; text in a container is drawn separately."""
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
    """Return the ids of the buttons below a message by their labels."""
    inner = _all_components(message.draft.components)
    return {str(one.get("label") or "?"): str(one["custom_id"]) for one in inner if "custom_id" in one}


def _draw_embed(embed: Mapping[str, Any]) -> RenderableType:
    said = [(embed.get("author") or {}).get("name"), embed.get("title"), embed.get("description")]
    said += [f"{field['name']}: {field['value']}" for field in embed.get("fields") or ()]
    return _barred("\n".join(str(one) for one in said if one))


def _barred(text: str) -> RenderableType:
    return Text("\n".join(f"│ {line}" for line in mask_controls(text).split("\n")), QUIET)


def indented(drawn: RenderableType) -> RenderableType:
    """Return something indented below the name of its author."""
    return Padding(drawn, (0, 0, 0, 2), expand=False)


def _quote(message: Message) -> str:
    return f"{mask_controls(message.shown_name)}: {shorten(message.content)}"


def shorten(text: str) -> str:
    """Return a text on one line, cut to the length of the quote above a reply."""
    line = " ".join(mask_controls(text).split())
    return line if len(line) <= QUOTE_LENGTH else line[: QUOTE_LENGTH - 1] + "…"
