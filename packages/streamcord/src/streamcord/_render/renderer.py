"""Render tables, diagrams, formulas and code blocks, which Discord cannot show well, as images.

Rendering does no I/O but takes a while: call it in a thread. Another kind of image is another `Renderer`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from inspect import iscoroutine
from typing import Protocol

from .._events import Attachment, Drawing, FencedCode, Message, Table
from .drawing_renderer import DrawingRenderer, drawable_kinds

MAX_ROW_TEXT_CHARS = 1500
"""Limit for the text of a table below its image, in a Components V2 message."""

_log = logging.getLogger(__name__)


class Renderer(Protocol):
    """Protocol: renders some kind of value as an image.

    `draw` gets each `Table` and `Drawing` of a message, and a `FencedCode` if the message is one code block, or for a
    diagram that no other renderer draws.

    Example:
        class ChartRenderer:
            def draw(self, value: object) -> Attachment | None:
                if not isinstance(value, FencedCode) or value.language != "chart":
                    return None
                return Attachment("chart.png", render_chart(value.code), alt=value.code)

        await say(channel, source, renderers=[ChartRenderer()])

    """

    def draw(self, value: object) -> Attachment | None:
        """Render a value. Called in a thread.

        Args:
            value: A `Table`, a `Drawing` or a `FencedCode`.

        Returns:
            The image, or None if this renderer does not support the value. If it raises, the exception is logged
            and the text is sent instead.

        """


@lru_cache(maxsize=1)
def find_renderers() -> tuple[Renderer, ...]:
    """Return the renderers whose dependencies are installed: for tables, for diagrams and for formulas."""
    found: list[Renderer] = []
    if find_spec("PIL") is not None:
        from .table_image import TableRenderer  # noqa: PLC0415  (an extra, and slow to import)

        found.append(TableRenderer())
    if kinds := drawable_kinds():
        found.append(DrawingRenderer(kinds))
    return tuple(found)


def draw_files(
    message: Message, renderers: Sequence[Renderer] | None = None, *, cards: bool = False
) -> Message:
    """Return a message with its tables and drawings, or the code block that it consists of, rendered as images.

    Args:
        message: A planned message.
        renderers: Renderers to try before the installed ones; an empty sequence renders nothing.
        cards: Whether images of tables carry their rows as text, for Components V2 messages.

    Returns:
        The message with images. If a part cannot be rendered, the message with its fallback text.

    Example:
        drawn = await asyncio.to_thread(draw_files, message)

    """
    renderers = find_renderers() if renderers is None else [*renderers, *(renderers and find_renderers())]
    # A code block is rendered only if it is the whole message: text around it would be lost.
    if not message.files and (block := FencedCode.find(message.content)):
        picture = _draw(block, renderers)
        if picture is None:
            return message
        return replace(message, content=block.heading, files=(picture,), fallback=message.content)
    if all(isinstance(file, Attachment) for file in message.files):
        return message
    files: list[Attachment] = []
    for file in message.files:
        drawn = file if isinstance(file, Attachment) else _draw(file, renderers)
        if drawn is None:
            # Half of the tables as images and half as text would be out of order.
            return replace(message, content=message.fallback or message.content, files=(), fallback=None)
        # The rows of a table with spoilers would show the hidden text.
        rows = (
            file.rows_within(MAX_ROW_TEXT_CHARS)
            if cards and isinstance(file, Table) and not file.spoiler
            else ""
        )
        files.append(replace(drawn, rows=rows) if rows else drawn)
    return replace(message, files=tuple(files))


def _describe(renderer: object) -> str:
    """Return the name of a renderer; a class in its place is a frequent mistake."""
    if isinstance(renderer, type):
        return f"{renderer.__name__} (a class: write {renderer.__name__}())"
    return type(renderer).__name__


def _draw(value: object, renderers: Sequence[Renderer]) -> Attachment | None:
    drawn = _try_renderers(value, renderers)
    if drawn is None and isinstance(value, Drawing) and value.kind == "diagram":
        # As a renderer of the caller knows it.
        return _try_renderers(FencedCode("mermaid", value.code), renderers)
    return drawn


def _try_renderers(value: object, renderers: Sequence[Renderer]) -> Attachment | None:
    for renderer in renderers:
        name = _describe(renderer)
        try:
            drawn = renderer.draw(value)
        except Exception:
            _log.exception("renderer %s failed; trying the next one", name)
            continue
        if isinstance(drawn, Attachment):
            return drawn
        if iscoroutine(drawn):
            drawn.close()
            _log.error(
                "renderer %s is async: write `def draw`, it runs in a thread; trying the next one", name
            )
        elif drawn is not None:
            returned = type(drawn).__name__
            _log.error("renderer %s returned %s, not an Attachment; trying the next one", name, returned)
    return None
