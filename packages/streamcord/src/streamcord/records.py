"""Types of the fields of messages, tables and results, for annotations and for renderers of your own.

`result.dropped` holds `Dropped` records, `table.rows` holds `Cell`s, and `message.spans` are `Spans` of the source.
"""

from __future__ import annotations

from ._events import (
    Added,
    Align,
    Cell,
    Dropped,
    Figure,
    Replaced,
    Seam,
    Span,
    Spans,
    StreamPosition,
    Style,
    Words,
)
from ._result import Counts, ThoughtLog

__all__ = [
    "Added",
    "Align",
    "Cell",
    "Counts",
    "Dropped",
    "Figure",
    "Replaced",
    "Seam",
    "Span",
    "Spans",
    "StreamPosition",
    "Style",
    "ThoughtLog",
    "Words",
]
