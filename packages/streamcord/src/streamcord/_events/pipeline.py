"""Values that the text pipeline produces on the way from raw text to messages.

A *span* is a half-open range of source characters, counted from the start of the turn. The spans of shown,
replaced, captured and dropped text together tile the whole answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, NamedTuple, TypeAlias

__all__ = [
    "Added",
    "Boundary",
    "Captured",
    "Degree",
    "Dropped",
    "Halt",
    "Replaced",
    "Segment",
    "Span",
    "Spans",
    "Speaker",
    "Visible",
]

Span: TypeAlias = tuple[int, int]
Spans: TypeAlias = tuple[Span, ...]


class Degree(IntEnum):
    """How human the delivery is: one text, lines, lines with typing, single sentences."""

    NONE = 0
    LIGHT = 1
    LOW = 1  # another name of `LIGHT`
    MEDIUM = 2
    HEAVY = 3


class Boundary(StrEnum):
    """Why a segment ended where it did."""

    CODE_OPEN = "code_open"
    CODE_CLOSE = "code_close"
    NEWLINE = "newline"
    PERIOD = "period"
    OVERFLOW = "overflow"
    ATTACHMENT = "attachment"
    FINAL = "final"
    TOOL_CALL = "tool_call"


# --- Buffering and segmentation --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visible:
    """Text outside every captured block; `start` is the index of its first source character."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Captured:
    """Text taken out of the answer: a block of reasoning, or details for the memory.

    A block longer than the capture limit comes in several pieces; all but the last have `more` set.
    """

    kind: Literal["think", "details"]
    text: str
    spans: Spans
    more: bool = False


class Segment(NamedTuple):
    """A slice of visible text that ends at a boundary; segments tile the visible text."""

    text: str
    boundary: Boundary
    spans: Spans
    prefix: str = ""
    """Markup to put before the text so that it renders alone, such as the fence of a block that began earlier."""
    suffix: str = ""
    """Markup to put after the text: the closing delimiters of everything that it leaves open."""
    ticks: int = 0
    """Number of backticks of the code fence, if the slice is a code block or a part of one."""
    atomic_spans: tuple[tuple[str, int, int], ...] = ()
    """Ranges that must not be split, each as (kind, start, end)."""
    head: str = ""
    """The first two lines of a table that began earlier and continues here."""
    blocks: Spans = ()
    """Ranges of code blocks inside a slice that is not a code block itself."""


# --- Normalization ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speaker:
    """The name and avatar that a message is sent under; `label` is the label that the model writes for it."""

    name: str
    avatar: str | None = None
    label: str = ""


class Replaced(NamedTuple):
    """A change made by a text rule: `before` became `after` (empty if it was removed)."""

    rule: str
    before: str
    after: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class Added:
    """Text that the model did not write, put before or after its own text."""

    text: str
    why: str
    where: Literal["before", "after"] = "after"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Text that is not shown, and why; `hidden` if it contains a spoiler."""

    text: str
    reason: str
    spans: Spans
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Halt:
    """A request of the text pipeline to end the answer; the driver closes the source."""

    reason: Literal["speaker_guard", "message_cap", "send_message_limit", "answer_cap"]
    speaker: str = ""
    """The speaker whose label ended the answer, for the speaker guard."""
