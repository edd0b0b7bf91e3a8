"""Every value that crosses a seam, in pipeline order.

All of them are frozen. A *span* is a half-open range of source characters: what the model wrote,
counted from the start of the turn. Shown, replaced, captured and dropped spans tile the whole answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag, StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = [
    "Added",
    "Align",
    "Attachment",
    "Boundary",
    "Captured",
    "Cell",
    "Degree",
    "Dropped",
    "FencedCode",
    "Finish",
    "FinishReason",
    "Halt",
    "KeepAlive",
    "Message",
    "ProviderEvent",
    "Receipt",
    "Replaced",
    "Segment",
    "Source",
    "Span",
    "Spans",
    "Speaker",
    "Style",
    "Table",
    "TextDelta",
    "ThoughtDelta",
    "ToolCall",
    "TurnEvent",
    "Usage",
    "Visible",
    "Words",
]

ALT_LENGTH = 1024
"""What Discord takes as the description of a file."""

_HEADING = re.compile(r"#{1,3} [^\n]+|\*\*[^\n]+\*\*:?|__[^\n]+__:?")

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


class Segment(NamedTuple):
    """A slice of visible text that ends at a boundary; segments tile the visible text.

    `prefix` and `suffix` are the markers that must stand around it so that it renders alone: the fence
    of a code block that began earlier, the closers of what the text left open. `ticks` counts the
    backticks of the code block that the slice is, or is a part of. `wholes` are the ranges in it that must
    stay whole, each behind its mark. `head` is the first two lines of a table that began earlier and goes on
    here. `blocks` are the ranges of code blocks in a slice that is none itself.
    """

    text: str
    boundary: Boundary
    spans: Spans
    prefix: str = ""
    suffix: str = ""
    ticks: int = 0
    wholes: tuple[tuple[str, int, int], ...] = ()
    head: str = ""
    blocks: Spans = ()


# --- Stage 6: in whose voice ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who seems to say it; `label` is what the model itself wrote or would write."""

    name: str
    avatar: str | None = None
    label: str = ""


class Replaced(NamedTuple):
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
    """Text that nobody will see, and why; `hidden` if there is a spoiler in it."""

    text: str
    reason: str
    spans: Spans
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Halt:
    """The text itself ends the answer; the driver closes the source."""

    reason: Literal["speaker_guard", "message_cap", "send_message_limit", "answer_cap"]
    speaker: str = ""
    """Whose label ended it, for the speaker guard."""


class Align(StrEnum):
    """On which side the cells of a column stand."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class Style(IntFlag):
    """How words in a cell look; styles add up."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    UNDERLINE = 4
    STRIKE = 8
    CODE = 16
    LINK = 32
    SPOILER = 64


@dataclass(frozen=True, slots=True)
class Words:
    """Text of one style, without its markers; `url` is where a link leads."""

    text: str
    style: Style = Style.PLAIN
    url: str = ""


Cell: TypeAlias = tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that the model wrote, for a picture: every row has as many cells as the header.

    `source` is the Markdown as it was written. `plain` is the same as rows of plain text, `|` between the
    cells; `alt` is as much of it as Discord takes for people who do not see the picture.
    """

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    alignments: tuple[Align, ...]
    source: str

    @property
    def name(self) -> str:
        """What its picture is called; Discord covers one whose name begins with `SPOILER_`."""
        return "SPOILER_table.png" if self.spoiler else "table.png"

    @property
    def spoiler(self) -> bool:
        """Whether a cell hides something: then all of it is shown only to those who ask."""
        rows = (self.header, *self.rows)
        return any(words.style & Style.SPOILER for row in rows for cell in row for words in cell)

    @property
    def texts(self) -> list[list[str]]:
        """The words of all cells, the header's first; a line break in a cell is a newline."""
        return [["".join(words.text for words in cell) for cell in row] for row in (self.header, *self.rows)]

    @property
    def plain(self) -> str:
        """All rows as text, a bar between cells; a bar inside one is escaped."""
        return "\n".join(
            " | ".join(" ".join(text.split()).replace("|", r"\|") for text in row) for row in self.texts
        )

    @property
    def alt(self) -> str:
        """The rows that fit Discord's limit for descriptions, and how many do not."""
        return "A table with spoilers" if self.spoiler else self.rows_within(ALT_LENGTH)

    def rows_within(self, length: int) -> str:
        """As many rows as fit so many characters, and how many do not."""
        plain = self.plain
        if len(plain) <= length:
            return plain
        end = plain.rfind("\n", 0, length - 32)
        if end < 0:
            return plain[: length - 1] + "…"
        left = plain.count("\n", end)
        return f"{plain[:end]}\n… and {left} more {'row' if left == 1 else 'rows'}"


@dataclass(frozen=True, slots=True)
class FencedCode:
    """A whole code block that is a message of its own, for a renderer that knows its language.

    `heading` is the line above it that it may have.
    """

    language: str
    code: str
    heading: str = ""

    @classmethod
    def find(cls, content: str) -> FencedCode | None:
        """The block that a message is, if it is one and nothing else but for a heading above it."""
        above, fence, rest = content.partition("```")
        heading = above.strip()
        if above and not (_HEADING.fullmatch(heading) and above.endswith("\n")):
            return None
        if not (fence and rest.endswith("\n```") and rest.count("```") == 1):
            return None
        language, _, code = rest[:-4].partition("\n")
        return cls(language.strip(), code, heading) if language.strip() else None


# --- Stage 7: what Discord gets -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send; `alt` is read to people who do not see it. Discord covers a `spoiler` until a click.

    `rows` are what a picture shows as text, for a card: one message with the picture, its rows and a button.
    """

    name: str
    content: bytes
    alt: str = ""
    spoiler: bool = False
    rows: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One Discord message, planned: wait `delay` seconds, then send `content`.

    `spans` are the source characters shown here as they were written, white space at the cut after
    them included; `edits` and `added` say what else the content is made of. A message may be a file alone,
    without content; a `Table` among the files is drawn before it is sent, and `fallback` is what to say if it
    cannot be.
    """

    content: str
    delay: float = 0.0
    speaker: Speaker | None = None
    reply: bool = False
    files: tuple[Attachment | Table, ...] = ()
    spans: Spans = ()
    boundary: Boundary = Boundary.FINAL
    edits: tuple[Replaced, ...] = ()
    added: tuple[Added, ...] = ()
    fallback: str | None = None
    notice: bool = False
    """Whether we say it, and not the model: shown so that no model can imitate it, where that is possible."""
    piece: tuple[int, int] = (1, 1)
    """Which piece of its segment this is, and of how many: more than one were split after stage 5."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Discord's word that a message arrived, under which id and how long it waited.

    `changes` says how it differs from the plan: `merged` with others, `no_reply`, `no_voice` (the bot said
    it, with the name in front), `identity` (under another name), `channel` (beside its interaction),
    `deleted` (it arrived, and somebody removed it before we knew), `unseen` (arrived, id unknown), `v2` (of
    Components V2), `card` (the same, with more than words), `unsure` (it grew, and
    people may see more of it than it says here), `growing` (for observers: it has appeared, and will say
    more).
    """

    message: Message
    id: int
    url: str = ""
    waited: float = 0.0
    changes: tuple[str, ...] = ()
    frames: tuple[tuple[float, int], ...] = ()
    """Of a message that grew: how many seconds after it appeared it had how many characters."""


Source: TypeAlias = AsyncIterable[str | ProviderEvent | Message]
"""Anything that says something, piece by piece; a `Message` in it is posted as it is, in its place.

If its iterator has `aclose`, whoever reads it calls that at the end, in the same task.
"""

OWN_EVENTS = (str, TextDelta, ThoughtDelta, ToolCall, Usage, Finish, KeepAlive, Message)
"""What a source may say without anybody's help."""

TurnEvent: TypeAlias = Message | Captured | Replaced | Dropped | Halt
