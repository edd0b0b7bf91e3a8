"""Values that the text pipeline produces on the way from raw text to messages.

A *span* is a half-open range of source characters, counted from the start of the turn. The spans of shown,
replaced, captured and dropped text together tile the whole answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, NamedTuple, TypeAlias

Span: TypeAlias = tuple[int, int]
"""A half-open range of source characters, (start, end), counted from the start of the turn."""
Spans: TypeAlias = tuple[Span, ...]
"""Ranges in the order of the source; they do not overlap."""


class Degree(IntEnum):
    """How human the delivery looks; the value of `Settings.degree`.

    Example:
        >>> Degree.HEAVY > Degree.MEDIUM, Degree(1).name
        (True, 'LIGHT')

    """

    NONE = 0
    """One text, as long as a message may be."""
    LIGHT = 1
    """A message per line."""
    LOW = 1  # another name of `LIGHT`, which the specification uses
    MEDIUM = 2
    """A message per line, with typing pauses."""
    HEAVY = 3
    """A message per sentence, with typing pauses and humanized text."""


class Boundary(StrEnum):
    """Why a segment ended where it did, see `Message.boundary`.

    Example:
        for receipt in result.receipts:
            if receipt.message.boundary is Boundary.OVERFLOW:
                print("cut because it was too long:", receipt.url)

    """

    CODE_OPEN = "code_open"
    """A code block begins."""
    CODE_CLOSE = "code_close"
    """A code block ends."""
    NEWLINE = "newline"
    """A line ends."""
    PERIOD = "period"
    """A sentence ends; degree 3 only."""
    OVERFLOW = "overflow"
    """The text is too long and has no better place for a cut."""
    FLUSH = "flush"
    """The source asked to send it now, or pauses."""
    ATTACHMENT = "attachment"
    """A message of a tool or a file follows."""
    FINAL = "final"
    """The answer ends."""
    TOOL_CALL = "tool_call"
    """The model calls a tool, or a stop cuts the answer."""


# --- Buffering and segmentation --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visible:
    """Text outside every captured block; `start` is the index of its first source character."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Captured:
    """Text taken out of the answer: a block of reasoning, or details for the memory.

    Args:
        kind: The tag of the block, `<think>` or `<details>`.
        text: The text between the tags.
        spans: Its source characters, with the tags.
        more: Whether the block continues in the next event; long blocks come in several pieces.

    Example:
        >>> Pipeline(Settings()).feed("<think>Hm.</think>")
        [Captured(kind='think', text='Hm.', spans=((0, 18),), more=False)]

    """

    kind: Literal["think", "details"]
    text: str
    spans: Spans
    # Bounds memory: a block that never ends must not be buffered as a whole.
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
    """The name and avatar that a message is sent under.

    Args:
        name: The name.
        avatar: The URL of the avatar; None for that of the bot.
        label: The label that the model writes for this speaker, such as `Luna (mad): `.

    Example:
        Speaker("Luna", "https://example.com/luna.png", "Luna: ")

    """

    name: str
    avatar: str | None = None
    # Kept with the message so that `TurnResult.text` can repeat what the model wrote.
    label: str = ""


class Replaced(NamedTuple):
    """A change of the text by a rule.

    Attributes:
        rule: The name of the rule.
        before: The text as the model wrote it.
        after: The text that is shown; empty if it was removed.
        spans: The source characters of `before`.

    Example:
        for change in result.replaced:
            print(f"{change.rule}: {change.before!r} became {change.after!r}")

    """

    rule: str
    before: str
    after: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class Added:
    """Text that the model did not write, put before or after its own text.

    Args:
        text: The text, such as the fence that reopens a code block.
        why: The reason in words.
        where: On which side of the message it is.

    Example:
        for added in result.added:
            print(added.text, added.why)

    """

    text: str
    why: str
    where: Literal["before", "after"] = "after"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Text that is not shown.

    Args:
        text: The text.
        reason: Why, as one word: `stop`, `message_cap`, `undelivered`, the name of a rule and so on.
        spans: Its source characters.
        hidden: Whether it contains a spoiler, which must not be repeated in clear.

    Example:
        lost = [dropped for dropped in result.dropped if dropped.reason == "undelivered"]

    """

    text: str
    reason: str
    spans: Spans
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Halt:
    """A request of the text pipeline to end the answer; the caller closes the source.

    Args:
        reason: Which rule or limit ended it, by the name of the setting.
        speaker: The speaker whose label ended the answer, for the speaker guard.

    Example:
        for event in pipeline.feed(text):
            if isinstance(event, Halt):
                await stream.aclose()

    """

    reason: Literal["speaker_guard", "message_cap", "send_message_limit", "answer_cap"]
    speaker: str = ""
