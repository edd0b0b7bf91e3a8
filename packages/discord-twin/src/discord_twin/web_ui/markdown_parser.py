"""Parse a finished message as Discord's client renders it: blocks of lines, lines of styled spans.

This is a reader of what was *sent*, written after the client's own grammar (a fence closes at the next three
backticks, `~~~` is no fence, an unclosed marker is literal), and no part of how messages are made. It is
deliberately independent of any bot's parser: text that looks wrong here would look wrong on Discord.
The grammar follows the public replicas brussell98/discord-markdown and ItzDerock/discord-markdown-parser.
A message has at most 2000 characters, so patterns may look ahead freely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

LineKind: TypeAlias = Literal["text", "h1", "h2", "h3", "subtext", "item"]


@dataclass(frozen=True, slots=True)
class StyledRun:
    """Text in one style; styles are names such as `bold` or `spoiler`."""

    text: str
    styles: frozenset[str] = frozenset()
    target: str = field(default="", compare=False)
    """The address of a link, or the text inside the brackets of a mention or custom emoji."""


@dataclass(frozen=True, slots=True)
class MarkupLine:
    """One line outside code; `lead` is the indented bullet or number of a list item."""

    runs: tuple[StyledRun, ...]
    kind: LineKind = "text"
    lead: str = ""


@dataclass(frozen=True, slots=True)
class MarkupCode:
    """A code block, without its fences."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """The blocks of a quote."""

    blocks: tuple[Block, ...]


Block: TypeAlias = MarkupLine | MarkupCode | Quote

# A language is only one if a newline follows it; the newlines around the code are not part of it.
_FENCE = re.compile(r"```(?:([A-Za-z0-9_+\-.#]+)\n+)?\n*(.+?)\n*```", re.DOTALL)
# `>>> ` quotes the rest of the message, `> ` one line.
_QUOTE = re.compile(r"(?m)^(?:>>> (?P<rest>(?s:.*))|(?P<lines>(?:> [^\n]*(?:\n|\Z))+))")
# A heading needs a space and some text.
_HEAD = re.compile(r"(#{1,3}|-#) +(?=\S|$)")
_ITEM = re.compile(r"( *)([-*•]|\d+[.)]) +(?=\S|$)")
_KINDS: dict[str, LineKind] = {"#": "h1", "##": "h2", "###": "h3", "-#": "subtext"}

# The order of the alternatives decides: the first that matches at a position wins.
_INLINE = re.compile(
    r"""
      \\(?P<escape>[^0-9A-Za-z\s])
    | (?P<ticks>`+)(?P<code>(?:(?!`).)(?:.*?[^`])??)(?P=ticks)(?!`)
    | <(?P<suppressed>https?://[^\s>]+)>
    | <(?P<tag>a?:\w+:\d+|[@#][!&]?\d+|t:-?\d+(?::[tTdDfFsSR])?|/[\w\- ]+:\d+)>
    | \[(?P<label>[^\[\]\n]+)\]\(<?(?P<target>https?://[^\s<>]+?)>?\)
    | (?P<url>https?://[^\s<]+[^\s<.,:;"')\]*_|~])
    | \*\*\*(?P<bold_italic>(?=\S).+?(?<=\S))\*\*\*(?!\*)
    | \*\*(?P<bold>.+?)\*\*(?!\*)
    | __(?P<underline>.+?)__(?!_)
    | ~~(?P<strike>.+?)~~(?!_)
    | \|\|(?P<spoiler>.+?)\|\|
    | \*(?P<italic>(?=\S)(?:\*\*|[^*])+?(?<=\S))\*(?!\*)
    | (?<!\w)_(?P<italic_>(?:__|[^_])+?)_(?!\w)
    """,
    re.DOTALL | re.VERBOSE,
)
_NESTING = {
    "bold_italic": {"bold", "italic"},
    "bold": {"bold"},
    "underline": {"underline"},
    "strike": {"strike"},
    "spoiler": {"spoiler"},
    "italic": {"italic"},
    "italic_": {"italic"},
    "label": {"link"},
}


def read_message(content: str) -> list[Block]:
    """Return the blocks of one message, as users see them."""
    blocks: list[Block] = []
    at = 0
    for quote in _QUOTE.finditer(content):
        # A line that begins with > inside a code block is code.
        if any(fence.start() < quote.start() < fence.end() for fence in _FENCE.finditer(content)):
            continue
        blocks += _read_unquoted(content[at : quote.start()])
        at = quote.end()
        inner = quote["rest"] if quote["rest"] is not None else re.sub(r"(?m)^> ", "", quote["lines"])
        blocks.append(Quote(tuple(_read_unquoted(inner)) or (MarkupLine(()),)))
    return blocks + _read_unquoted(content[at:])


def _read_unquoted(text: str) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    for fence in _FENCE.finditer(text):
        blocks += _read_lines(text[at : fence.start()])
        blocks.append(MarkupCode(fence[2], fence[1] or ""))
        # The newline after a code block is not an empty line.
        at = fence.end() + text.startswith("\n", fence.end())
    return blocks + _read_lines(text[at:])


def _read_lines(text: str) -> list[MarkupLine]:
    """Spans may run over lines, so they are read first and then cut at the newlines."""
    if not text:
        return []
    rows: list[list[StyledRun]] = [[]]
    for run in _read_runs(text.removesuffix("\n"), frozenset()):
        for number, piece in enumerate(run.text.split("\n")):
            if number:
                rows.append([])
            if piece:
                rows[-1].append(StyledRun(piece, run.styles, run.target))
    return [_line(row) for row in rows]


def _line(runs: list[StyledRun]) -> MarkupLine:
    # A line that begins with markup is no heading and no list item.
    if not runs or runs[0].styles:
        return MarkupLine(tuple(runs))
    first = runs[0].text
    if (head := _HEAD.match(first)) and (rest := _without(runs, head.end())):
        return MarkupLine(rest, _KINDS[head[1]])
    if (item := _ITEM.match(first)) and (rest := _without(runs, item.end())):
        mark = item[2] if item[2][0].isdigit() else ("◦" if item[1] else "•")
        return MarkupLine(rest, "item", f"{item[1]}{mark} ")
    return MarkupLine(tuple(runs))


def _without(runs: list[StyledRun], lead: int) -> tuple[StyledRun, ...]:
    rest = runs[0].text[lead:]
    return (StyledRun(rest), *runs[1:]) if rest else tuple(runs[1:])


def _read_runs(text: str, styles: frozenset[str], target: str = "") -> Iterator[StyledRun]:
    at = 0
    for found in _INLINE.finditer(text):
        if at < found.start():
            yield StyledRun(text[at : found.start()], styles, target)
        yield from _run(found, styles, target)
        at = found.end()
    if at < len(text):
        yield StyledRun(text[at:], styles, target)


def _run(found: re.Match[str], styles: frozenset[str], target: str) -> Iterator[StyledRun]:
    match found.lastgroup:
        case "escape":
            yield StyledRun(found["escape"], styles, target)
        case "code":
            yield StyledRun(found["code"].strip() or found["code"], styles | {"code"}, target)
        case "suppressed" | "url" as kind:
            yield StyledRun(found[kind], styles | {"link"}, found[kind])
        case "tag":
            yield StyledRun(*_tag(found["tag"], styles), found["tag"])
        case "target":
            yield from _read_runs(found["label"], styles | {"link"}, found["target"])
        case kind:
            assert kind is not None
            yield from _read_runs(found[kind], styles | _NESTING[kind], target)


def _tag(tag: str, styles: frozenset[str]) -> tuple[str, frozenset[str]]:
    kind, *rest = tag.split(":")
    # `<:name:id>`, animated `<a:name:id>`
    if kind in {"", "a"}:
        return f":{rest[0]}:", styles | {"emoji"}
    if kind == "t":
        return _moment(int(rest[0])), styles | {"mention"}
    return (kind if kind.startswith(("#", "/")) else f"@{kind.lstrip('@!&')}"), styles | {"mention"}


def _moment(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y %H:%M")
    except (OverflowError, OSError, ValueError):
        return "invalid date"
