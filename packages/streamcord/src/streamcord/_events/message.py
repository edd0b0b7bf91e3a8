"""Outgoing messages and their parts: tables, code blocks, attachments, receipts, and the turn's event types."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import Literal, TypeAlias

from .ask import Ask
from .pipeline import Added, Boundary, Captured, Dropped, Halt, Replaced, Spans, Speaker
from .provider import (
    Citation,
    Finish,
    Flush,
    GeneratedImage,
    KeepAlive,
    ProviderEvent,
    Seam,
    StreamPosition,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)

MAX_ALT_CHARS = 1024
"""Discord's limit for the description of an attachment.

https://discord.com/developers/docs/resources/message#attachment-object
"""

# A line above a code block that counts as its heading: a Markdown heading, or bold or underlined text.
_HEADING = re.compile(r"#{1,3} [^\n]+|\*\*[^\n]+\*\*:?|__[^\n]+__:?")

# Characters kept free for the "… and N more rows" line.
_MORE_ROWS_CHARS = 32


# --- Tables and code blocks ------------------------------------------------------------------------------


class Align(StrEnum):
    """The alignment of a table column.

    Example:
        >>> Align("right") is Align.RIGHT
        True

    """

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class Style(IntFlag):
    """Text styles in a table cell; they can be combined.

    Example:
        >>> Style.BOLD in Style.BOLD | Style.ITALIC
        True

    """

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    UNDERLINE = 4
    STRIKETHROUGH = 8
    CODE = 16
    LINK = 32
    SPOILER = 64


@dataclass(frozen=True, slots=True)
class Words:
    """A run of text in a table cell, in one style.

    Args:
        text: The text, without delimiters.
        style: Its styles.
        url: The target, if it is a link.

    Example:
        Words("docs", Style.LINK, "https://example.com")

    """

    text: str
    style: Style = Style.PLAIN
    url: str = ""


Cell: TypeAlias = tuple[Words, ...]
"""One cell of a table: runs of text in their styles."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that the model wrote, for a `Renderer`.

    Args:
        header: The cells of the first row.
        rows: The other rows; each has as many cells as the header.
        alignments: The alignment of each column.
        source: The Markdown as the model wrote it.

    Example:
        >>> cells = ((Words("dice"),), (Words("6", Style.BOLD),))
        >>> Table(cells, (cells,), (Align.LEFT, Align.RIGHT), "| dice | **6** |").texts
        [['dice', '6'], ['dice', '6']]

    """

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    alignments: tuple[Align, ...]
    source: str

    @property
    def name(self) -> str:
        """The file name of the image; Discord covers attachments whose name begins with `SPOILER_`."""
        return "SPOILER_table.png" if self.spoiler else "table.png"

    @property
    def spoiler(self) -> bool:
        """Whether a cell contains a spoiler; then the whole image is covered."""
        rows = (self.header, *self.rows)
        return any(words.style & Style.SPOILER for row in rows for cell in row for words in cell)

    @property
    def texts(self) -> list[list[str]]:
        """The text of all cells, header first; a line break in a cell is a newline."""
        return [["".join(words.text for words in cell) for cell in row] for row in (self.header, *self.rows)]

    @property
    def plain(self) -> str:
        """All rows as plain text with `|` between cells; a `|` inside a cell is escaped."""
        return "\n".join(
            " | ".join(" ".join(text.split()).replace("|", r"\|") for text in row) for row in self.texts
        )

    @property
    def alt(self) -> str:
        """A description for screen readers: the rows that fit Discord's limit, then how many do not."""
        return "A table with spoilers" if self.spoiler else self.rows_within(MAX_ALT_CHARS)

    def rows_within(self, length: int) -> str:
        """Return as many rows as fit into `length` characters, then how many do not."""
        plain = self.plain
        if len(plain) <= length:
            return plain
        # Cut between rows: half a row in a description is worse than none.
        end = plain.rfind("\n", 0, length - _MORE_ROWS_CHARS)
        if end < 0:
            # Not even the header fits.
            return plain[: length - 1] + "…"
        left = plain.count("\n", end)
        return f"{plain[:end]}\n… and {left} more {'row' if left == 1 else 'rows'}"


@dataclass(frozen=True, slots=True)
class FencedCode:
    r"""A code block that is a whole message, for a `Renderer` that knows its language.

    Args:
        language: The language after the opening fence.
        code: The code between the fences.
        heading: The line above the block, if there is one.

    Example:
        >>> FencedCode.find("```mermaid\ngraph TD\n```")
        FencedCode(language='mermaid', code='graph TD', heading='')

    """

    language: str
    code: str
    heading: str = ""

    @classmethod
    def find(cls, content: str) -> FencedCode | None:
        """Parse a message that is exactly one code block, optionally with a heading above it.

        Returns:
            The block, or None if the message is anything else or the block names no language.

        """
        above, fence, rest = content.partition("```")
        heading = above.strip()
        if above and not (_HEADING.fullmatch(heading) and above.endswith("\n")):
            return None
        # Three backticks inside of the code, or text after the block, are not a message of one block.
        if not (fence and rest.endswith("\n```") and rest.count("```") == 1):
            return None
        language, _, code = rest[:-4].partition("\n")
        return cls(language.strip(), code, heading) if language.strip() else None


@dataclass(frozen=True, slots=True)
class Drawing:
    r"""A diagram or a formula that the model wrote, for a `Renderer`.

    Args:
        kind: `diagram` for Mermaid, `formula` for LaTeX.
        code: The Mermaid code, or the formula without its delimiters.
        source: The Markdown that is shown where it cannot be drawn.
        alt: What it shows, in words.

    Example:
        >>> Drawing("formula", r"\frac{a}{b}", "```tex\n...\n```", "a over b").name
        'formula.png'

    """

    kind: Literal["diagram", "formula"]
    code: str
    source: str
    alt: str

    @property
    def name(self) -> str:
        """The file name of the image."""
        return f"{self.kind}.png"

    @property
    def spoiler(self) -> bool:
        """Whether the image is covered: never, since spoilers are not drawn."""
        return False


Figure: TypeAlias = Table | Drawing
"""A part of the text that is sent as an image."""


# --- Messages --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send.

    Args:
        name: The file name.
        content: The bytes.
        alt: The description for screen readers.
        spoiler: Whether Discord covers the file until it is clicked.
        rows: The text of a table image, for a Components V2 message with the image, its text and a button.
        has_source: Whether the image shows text of the model, which a button below it can show.

    Example:
        Attachment("dice.png", png_bytes, alt="a die that shows six")

    """

    name: str
    content: bytes
    alt: str = ""
    # A transport prefixes the name with `SPOILER_`: Discord has no other way to mark a file.
    spoiler: bool = False
    rows: str = ""
    has_source: bool = False

    @property
    def is_framed(self) -> bool:
        """Whether rows or a button belong below it, which only a Components V2 message can show."""
        return bool(self.rows) or self.has_source


@dataclass(frozen=True, slots=True)
class Message:
    """One planned Discord message: wait `delay` seconds, then send `content`.

    A transport gets it in `send` and needs `content`, `files`, `speaker` and `reply`. A source may yield one to
    post it unchanged between the text. It may consist of files alone, without content.

    Example:
        async def answer():
            yield "Here is the picture."
            yield Attachment("dice.png", png_bytes)

    """

    content: str
    delay: float = 0.0
    """Seconds since the message before it."""
    speaker: Speaker | None = None
    """The name and avatar to send it under; None for the bot's own."""
    reply: bool = False
    """Whether it is sent as a reply to the user's message."""
    files: tuple[Attachment | Figure, ...] = ()
    """Files to attach; a `Table` or a `Drawing` is rendered to an image before it is sent."""
    # Together with `Replaced`, `Captured` and `Dropped`, the spans of all messages tile the answer.
    spans: Spans = ()
    """Source characters that are shown unchanged, including the white space at the cut after them."""
    boundary: Boundary = Boundary.FINAL
    """Why the text was cut after this message."""
    edits: tuple[Replaced, ...] = ()
    """Parts of the content that a rule changed."""
    added: tuple[Added, ...] = ()
    """Parts of the content that the model did not write."""
    fallback: str | None = None
    """Content to send instead if a table or a drawing cannot be rendered."""
    notice: bool = False
    """Whether the program itself says it; shown in a form that no model can imitate, if possible."""
    ask: Ask | None = None
    """A question whose buttons the message has; its id is set."""
    piece: tuple[int, int] = (1, 1)
    """(number, total) of this piece of its segment; the total is above 1 if the segment was split."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Confirmation that Discord has a message; a transport's `send` returns it.

    Example:
        async def send(self, message):
            sent = await self.api.post(message.content)
            return Receipt(message, sent.id, sent.url)

    """

    message: Message
    """The message as it was planned."""
    id: int
    """The id of the message at Discord."""
    url: str = ""
    """The link to the message."""
    waited: float = 0.0
    """Seconds that the message waited before it was sent."""
    changes: tuple[str, ...] = ()
    """How the sent message differs from the plan:

    - `merged`: it was merged with others
    - `no_reply`: it is not a reply
    - `no_webhook`: the bot sent it itself with the persona's name in front, because no webhook was available
    - `identity`: it was sent under another name
    - `channel`: it was sent to the channel instead of the interaction
    - `deleted`: it was deleted before its delivery was confirmed
    - `v2`: it uses Components V2
    - `card`: it uses Components V2 with more than text
    - `unsure`: it is a live message, and users may see more of it than `message.content`
    - `live`: for observers: a live message was created and will be edited
    """
    frames: tuple[tuple[float, int], ...] = ()
    """The edits of a live message, as (seconds since it was created, characters)."""


Source: TypeAlias = AsyncIterable[str | ProviderEvent | Message]
"""Any stream of text or events. A `Message` in it is posted as it is, in its place, an `Attachment` or an
`Ask` as a message of its own; None is no text.

If the iterator has `aclose`, the task that reads it calls that at the end.
"""

# Checked for every event, so it is a tuple for `isinstance` and not the union above.
SOURCE_EVENTS = (
    *(
        str,
        TextDelta,
        ThoughtDelta,
        ToolCall,
        GeneratedImage,
        Citation,
        Usage,
        Finish,
        KeepAlive,
        Seam,
        StreamPosition,
        Flush,
        Message,
    ),
)
"""The types that a source may yield without conversion."""

TurnEvent: TypeAlias = Message | Captured | Replaced | Dropped | Halt
"""Anything that the text pipeline returns."""
