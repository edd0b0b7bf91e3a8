"""Pictures of what Discord cannot show: a value in, a file out.

Drawing is pure and takes a while: call it in a thread. Another kind of picture is another `Renderer`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from typing import Protocol

from .._events import Attachment, FencedCode, Message, Table

__all__ = ["Renderer", "draw_files", "find_renderers"]

ROWS_LENGTH = 1500
"""Characters of a table's rows that stand below its picture, at most."""
_log = logging.getLogger(__name__)


class Renderer(Protocol):
    """Anything that can draw some kind of value: a `Table`, or a `FencedCode` of some language."""

    def draw(self, value: object) -> Attachment | None:
        """The picture of a value, or None if it is of another kind, too large, or cannot be drawn here.

        It is called in a thread. One that raises is reported, and the words are sent instead.
        """
        ...


@lru_cache(maxsize=1)
def find_renderers() -> tuple[Renderer, ...]:
    """What can be drawn with what is installed: tables, if Pillow is."""
    if find_spec("PIL") is None:
        return ()
    from .table_image import TableRenderer  # noqa: PLC0415  (an extra, and slow to import)

    return (TableRenderer(),)


def draw_files(
    message: Message, renderers: Sequence[Renderer] | None = None, *, cards: bool = False
) -> Message:
    """The message with its tables drawn, and the code block that it is, if it is one and somebody can.

    It becomes words if one of its tables cannot be drawn. `renderers` are asked first, then what is
    installed; an empty list draws nothing. For `cards` the pictures of tables get their rows as text.
    """
    renderers = find_renderers() if renderers is None else [*renderers, *(renderers and find_renderers())]
    if not message.files and (block := FencedCode.find(message.content)):
        picture = _draw(block, renderers)
        if picture is None:
            return message
        return replace(message, content=block.heading, files=(picture,), fallback=message.content)
    if not any(isinstance(file, Table) for file in message.files):
        return message
    files: list[Attachment] = []
    for file in message.files:
        drawn = file if isinstance(file, Attachment) else _draw(file, renderers)
        if drawn is None:
            return replace(message, content=message.fallback or message.content, files=(), fallback=None)
        # Rows of a table that hides something would be shown in clear.
        rows = file.rows_within(ROWS_LENGTH) if cards and isinstance(file, Table) and not file.spoiler else ""
        files.append(replace(drawn, rows=rows) if rows else drawn)
    return replace(message, files=tuple(files))


def _draw(value: object, renderers: Sequence[Renderer]) -> Attachment | None:
    for renderer in renderers:
        try:
            if drawn := renderer.draw(value):
                return drawn
        except Exception:
            _log.exception("a renderer failed: %s", type(renderer).__name__)
    return None
