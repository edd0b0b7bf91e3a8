"""What is hidden stays hidden in Discord, which reads blocks before spoilers and ends one at the next bars.

So a spoiler over several list items, quoted lines or headings is closed and reopened on each of them,
bars inside of one, as code may have, are kept apart by a space without width, and a mark inside that would
end an emphasis from before it is escaped: Discord would read `**a ||b** c||` as bold, and hide nothing. The
brackets of what would end a link from before it are kept apart, too.
"""

from __future__ import annotations

import re
from bisect import bisect
from typing import TYPE_CHECKING

from ..._events import Replaced
from ..markdown.break_points import AtomicRange
from ..markdown.delimiters import SpanKind
from ..markdown.line_kinds import Line, read_line
from .leaks import URL, find_leaks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markdown.delimiters import Span
    from ..parsed_text import ParsedText
    from ..traced_text import Edit, TracedText

__all__ = ["SPOILER", "LineSpoilerState", "drop_empty_ends", "find_joints", "keep_hidden"]

SPOILER = "spoiler"
"""The name of this rule in records."""

MAX_LINE_CHARS = 4000
"""No message is longer."""

_PIPES = re.compile(r"(?<=\|)\|")
_TARGET = re.compile(r"\](?=\()")
_LINKS = frozenset({SpanKind.LINK, SpanKind.CODE, SpanKind.FENCE})
_BLOCKS = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.BLOCK_QUOTE, Line.HEADING, Line.SUBTEXT})


def keep_hidden(parsed: ParsedText, before: str = "") -> list[Edit]:
    """Edits after which Discord hides all that the model hid.

    before: what was said already of the line that the text goes on with.
    """
    text = parsed.text
    added: dict[int, str] = {}  # what is put before which character
    alone: list[Edit] = []  # bars that hide nothing on their line
    spoilers = sorted(span for span in parsed.spans if span.mark == "||")
    hidden = AtomicRange((span.start, span.end) for span in spoilers)
    links = AtomicRange(
        (span.start, span.end) for span in parsed.spans if span.mark in _LINKS and not hidden.free(span.start)
    )
    fences = _fence_spans(parsed)
    added |= _uncrossed(parsed, before, spoilers)
    for span in spoilers:
        added |= {bar.start(): "\u200b" for bar in _PIPES.finditer(text, span.start + 2, span.end - 1)}
        added |= dict.fromkeys(_targets(parsed, span, links), "\u200b")
        words = _words(text, span, fences)
        for at in _line_ends(text, span, words):
            added[at] = "||" + added.get(at, "")
        alone += [(at, at + 2, "") for at in _lone_pipes(text, span, words)]
    return sorted([*alone, *((at, at + 1, before + text[at]) for at, before in added.items())])


class LineSpoilerState:
    """Keeps hidden what parts of a line hide that are `joined` to one again: it remembers the line so far."""

    def __init__(self, *, joined: bool) -> None:
        self._joined = joined
        self._line = ""

    def edit(self, parsed: ParsedText) -> list[Edit]:
        """As `keep_hidden`."""
        return keep_hidden(parsed, self._line)

    def remember(self, traced: TracedText) -> TracedText:
        """Remember what is said now."""
        if self._joined:
            text = traced.text
            self._line = "" if text[-1:] == "\n" else (self._line + text)[-MAX_LINE_CHARS:]
        return traced

    def reset(self) -> None:
        """What follows is another message."""
        self._line = ""


def drop_empty_ends(parsed: ParsedText) -> list[Edit]:
    """Edits after which the bars of a spoiler stand beside its words, not alone on a line of a quote."""
    text = parsed.text
    edits: list[Edit] = []
    fences = _fence_spans(parsed)
    for span in sorted(span for span in parsed.spans if span.mark == "||"):
        words = _words(text, span, fences)
        if not words:
            continue
        first, last = words[0][0], words[-1][1]
        before, marker = text[_line(text, span.start) : span.start], text[_line(text, first) : first]
        if "\n" in text[span.start : first] and before.strip() in (">>>", marker.strip()):
            edits.append((span.start + 2, first, ""))
        if "\n" in text[last : span.end] and not text[span.end : _newline(text, span.end)].strip():
            edits.append((last, span.end - 2, ""))
    return edits


def find_joints(traced: TracedText) -> Iterator[tuple[int, int]]:
    """Yield the range between two lines of one spoiler: from added closing bars to added opening bars.

    A spoiler that fits one message is not cut there.
    """
    at, closed = 0, -1
    for length, _, record in traced.runs:
        if isinstance(record, Replaced) and record.rule == SPOILER:
            if not record.after:
                # Bars are removed only where a spoiler begins or ends: the next ones belong to another one.
                closed = -1
            elif "||" in record.after:
                if not record.after.rpartition("||")[2].strip():
                    closed = at
                elif closed >= 0:
                    yield closed, at + length
        at += length


def _uncrossed(parsed: ParsedText, before: str, spoilers: list[Span]) -> dict[int, str]:
    """What is put before which character, lest Discord end in a spoiler what began before it.

    No backslash keeps code from ending, nor is there one in code: what is left is cut apart later.
    """
    text, size = parsed.text, len(before)
    ranges = [(span.start + size, span.end + size) for span in spoilers]
    added: dict[int, str] = {}
    for mark, _, number in find_leaks(before + text, ranges):
        span = spoilers[number]
        inner = list(_marks_in(text, span, mark))
        if mark == URL:
            added[span.start] = " "
        elif mark != "`" and all(map(parsed.free, inner)):
            added |= dict.fromkeys(inner, "\\")
    return added


def _marks_in(text: str, span: Span, mark: str) -> Iterator[int]:
    """The characters of a kind inside a spoiler that are not escaped."""
    for at in range(span.start + 2, span.end - 2):
        if text[at] == mark and text[at - 1] != "\\":
            yield at


def _targets(parsed: ParsedText, span: Span, links: AtomicRange) -> Iterator[int]:
    """Where a link's target begins that is none here: Discord would end a link there that began before."""
    for found in _TARGET.finditer(parsed.text, span.start + 2, span.end - 2):
        if links.free(found.start()):
            yield found.end()


def _line_ends(text: str, span: Span, words: list[tuple[int, int]]) -> Iterator[int]:
    """Where bars go: at both ends of each line of a spoiler that blocks divide, but for its own."""
    for number, (start, end) in enumerate(words):
        if number or "\n" in text[span.start : start]:
            yield start
        if number < len(words) - 1 or "\n" in text[end : span.end]:
            yield end


def _lone_pipes(text: str, span: Span, words: list[tuple[int, int]]) -> Iterator[int]:
    """Bars of a spoiler on a line without its words: with the next bars they would hide nothing."""
    if words and "\n" in text[span.start : words[0][0]]:
        yield span.start
    if words and "\n" in text[words[-1][1] : span.end]:
        yield span.end - 2


def _words(text: str, span: Span, fences: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is not empty of the lines of a spoiler that blocks divide."""
    if text.find("\n", span.start, span.end) < 0:
        return []
    lines = list(_lines(text, span, fences))
    if len(lines) < 2 or not any(kind in _BLOCKS for kind, _, _ in lines):
        return []
    return [(start, end) for _, start, end in lines if start < end]


def _fence_spans(parsed: ParsedText) -> list[tuple[int, int]]:
    return sorted((span.start, span.end) for span in parsed.spans if span.mark == SpanKind.FENCE)


def _lines(text: str, span: Span, fences: list[tuple[int, int]]) -> Iterator[tuple[Line, int, int]]:
    """The lines of a spoiler: of which kind each is, and what of it is content; a code block is one line."""
    last = span.end - 2
    line = _line(text, span.start)
    at = span.start + 2
    while True:
        kind, content = read_line(text, line, final=True) or (Line.PROSE, line)
        start = max(at, content)
        newline = _newline(text, start)
        number = bisect(fences, (start,))
        if number < len(fences) and fences[number][0] < min(newline, span.end):
            newline = _newline(text, fences[number][1])
        end = min(newline, last)
        yield kind, start, start + len(text[start:end].rstrip())
        if newline >= last:
            return
        line = at = newline + 1


def _line(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _newline(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return newline if newline >= 0 else len(text)
