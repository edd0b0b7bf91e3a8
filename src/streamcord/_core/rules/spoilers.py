"""What is hidden stays hidden in Discord, which reads blocks before spoilers and ends one at the next bars.

So a spoiler over several list items, quoted lines or headings is closed and reopened on each of them, and
bars inside of one, as code may have, are kept apart by a space without width.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..markup.line_kinds import Line, read_line
from ..markup.openers import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markup.openers import Span
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["keep_hidden"]

_BARS = re.compile(r"(?<=\|)\|")
_BLOCKS = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.BLOCK_QUOTE, Line.HEADING, Line.SUBTEXT})


def keep_hidden(reading: Reading) -> list[Edit]:
    """Edits after which Discord hides all that the model hid."""
    text = reading.text
    added: dict[int, str] = {}  # what is put before which character
    for span in reading.spans:
        if span.mark == "||":
            added |= {bar.start(): "\u200b" for bar in _BARS.finditer(text, span.start + 2, span.end - 1)}
            added |= dict(_reopened(reading, span))
    return [(at, at + 1, added[at] + text[at]) for at in sorted(added)]


def _reopened(reading: Reading, span: Span) -> Iterator[tuple[int, str]]:
    """Bars at both ends of each line of a spoiler that blocks divide."""
    lines = list(_lines(reading, span))
    if len(lines) < 2 or not any(kind in _BLOCKS for kind, _, _ in lines):
        return
    for number, (_, start, end) in enumerate(lines):
        if number and start < end:
            yield start, "||"
        if number < len(lines) - 1 and start < end:
            yield end, "||"


def _lines(reading: Reading, span: Span) -> Iterator[tuple[Line, int, int]]:
    """The lines of a spoiler: of which kind each is, and what of it is content; a code block is one line."""
    text, last = reading.text, span.end - 2
    fences = [one for one in reading.spans if one.mark == Mark.FENCE and span.start < one.start < span.end]
    line = text.rfind("\n", 0, span.start) + 1
    at = span.start + 2
    while True:
        kind, content = read_line(text, line, final=True) or (Line.PROSE, line)
        start = max(at, content)
        ahead = _newline(text, start)
        inside = next((fence.end for fence in fences if start <= fence.start < ahead), start)
        newline = _newline(text, inside)
        end = min(newline, last)
        yield kind, start, start + len(text[start:end].rstrip())
        if newline >= last:
            return
        line = at = newline + 1


def _newline(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return newline if newline >= 0 else len(text)
