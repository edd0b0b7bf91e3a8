"""One message of the local Discord, drawn for a terminal as Discord shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from streamcord._lab.drawing import LOOKS, QUIET, author, draw_content
from streamcord._lab.terminal import mask_controls
from streamcord.twin import Message

__all__ = ["buttons_of", "draw_message", "indented", "shorten", "words_of"]


ALT_LENGTH = 400
QUOTE_LENGTH = 60
TEXT_DISPLAY = 10


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
        parts.append(indented(draw_content(words)))
    parts += [indented(_draw_embed(embed)) for embed in message.draft.embeds]
    for file in message.attachments:
        size = f" {file.width}×{file.height}" if file.width else f" {len(file.content)} bytes"
        parts.append(indented(Text(f"▣ {mask_controls(file.filename)}{size}", LOOKS["link"])))
        if file.description:
            parts.append(indented(_barred(file.description[:ALT_LENGTH])))
    # Of a table the rows were just shown.
    parts += [indented(_barred(text)) for text in _framed(message) if not message.attachments]
    if message.is_ephemeral:
        parts.append(indented(Text("only you can see this", QUIET)))
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


def _draw_embed(embed: Mapping[str, Any]) -> RenderableType:
    said = [(embed.get("author") or {}).get("name"), embed.get("title"), embed.get("description")]
    said += [f"{field['name']}: {field['value']}" for field in embed.get("fields") or ()]
    return _barred("\n".join(str(one) for one in said if one))


def _barred(text: str) -> RenderableType:
    return Text("\n".join(f"│ {line}" for line in mask_controls(text).split("\n")), QUIET)


def indented(drawn: RenderableType) -> RenderableType:
    """What belongs to a message, below its name."""
    return Padding(drawn, (0, 0, 0, 2), expand=False)


def _quote(message: Message) -> str:
    return f"{mask_controls(message.shown_name)}: {shorten(message.content)}"


def shorten(text: str) -> str:
    """A text on one line, cut where it would be longer than a quote above a reply."""
    line = " ".join(mask_controls(text).split())
    return line if len(line) <= QUOTE_LENGTH else line[: QUOTE_LENGTH - 1] + "…"
