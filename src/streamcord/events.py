"""Every value that crosses a seam, in pipeline order.

All of them are frozen. A *span* is a half-open range of source characters: what the model wrote,
counted from the start of the turn. Shown, replaced, captured and dropped spans tile the whole answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Literal, TypeAlias

__all__ = [
    "Added",
    "Attachment",
    "Boundary",
    "Captured",
    "Degree",
    "Dropped",
    "Finish",
    "FinishReason",
    "Halt",
    "KeepAlive",
    "Message",
    "ProviderEvent",
    "Receipt",
    "Replaced",
    "Segment",
    "Span",
    "Spans",
    "Speaker",
    "TextDelta",
    "ThoughtDelta",
    "ToolCall",
    "TurnEvent",
    "Usage",
    "Visible",
]

Span: TypeAlias = tuple[int, int]
Spans: TypeAlias = tuple[Span, ...]


class Degree(IntEnum):
    """How human the delivery is: one text, lines, lines with typing, single sentences."""

    NONE = 0
    LIGHT = 1
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


# --- What a provider says -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's reasoning; `signature` must go back to the model unchanged."""

    text: str
    kind: Literal["raw", "summary"] = "raw"
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool; `signature` must go back to the model unchanged."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; the latest event wins."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0


class FinishReason(StrEnum):
    """How the provider says that it ended."""

    STOP = "stop"
    LENGTH = "length"
    FILTERED = "filtered"
    TOOL_CALLS = "tool_calls"


@dataclass(frozen=True, slots=True)
class Finish:
    """The provider's terminal event; a stream without one was truncated."""

    reason: FinishReason = FinishReason.STOP
    served_by: str | None = None


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """The provider is alive but has nothing to say yet."""


ProviderEvent: TypeAlias = TextDelta | ThoughtDelta | ToolCall | Usage | Finish | KeepAlive


# --- Stage 5: what was said, and where it may be cut ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Visible:
    """Text outside every captured block; `start` is its first source character."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Captured:
    """Text taken out of the answer: a thought, or details for the memory.

    A block longer than the capture cap comes in several pieces; all but the last have `more` set.
    """

    kind: Literal["think", "details"]
    text: str
    spans: Spans
    more: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A slice of visible text that ends at a boundary; segments tile the visible text.

    `prefix` and `suffix` are the markers that must stand around it so that it renders alone: the fence
    of a code block that began earlier, the closers of what the text left open. `ticks` counts the
    backticks of the code block that the slice is, or is a part of.
    """

    text: str
    boundary: Boundary
    spans: Spans
    prefix: str = ""
    suffix: str = ""
    ticks: int = 0


# --- Stage 6: in whose voice ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who seems to say it; `label` is what the model itself wrote or would write."""

    name: str
    avatar: str | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A rule changed text: `before` became `after` (empty if it was removed)."""

    rule: str
    before: str
    after: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class Added:
    """Text that the model did not write, before or after what it did."""

    text: str
    why: str
    where: Literal["before", "after"] = "after"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Text that nobody will see, and why."""

    text: str
    reason: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class Halt:
    """The text itself ends the answer; the driver closes the source."""

    reason: Literal["speaker_guard", "message_cap", "send_message_limit", "answer_cap"]


# --- Stage 7: what Discord gets -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send; `alt` is read to people who do not see it."""

    name: str
    content: bytes
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One Discord message, planned: wait `delay` seconds, then send `content`.

    `spans` are the source characters shown here as they were written, white space at the cut after
    them included; `edits` and `added` say what else the content is made of.
    """

    content: str
    delay: float = 0.0
    speaker: Speaker | None = None
    reply: bool = False
    files: tuple[Attachment, ...] = ()
    spans: Spans = ()
    boundary: Boundary = Boundary.FINAL
    edits: tuple[Replaced, ...] = ()
    added: tuple[Added, ...] = ()
    fallback: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """Discord's word that a message arrived, under which id and how long it waited."""

    message: Message
    id: int
    url: str = ""
    waited: float = 0.0


TurnEvent: TypeAlias = Message | Captured | Replaced | Dropped | Halt
