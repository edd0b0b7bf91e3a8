"""Edit spoilers so that Discord hides what the model hid.

Discord parses blocks before spoilers, and ends a spoiler at the next pipes. So a spoiler over several list items,
quoted lines or headings is closed and reopened on each of them, and pipes inside a spoiler, as code may have, are
separated by a zero-width space. A marker inside that would close emphasis from before the spoiler is escaped:
Discord would read `**a ||b** c||` as bold and hide nothing. The brackets of a link target inside that would end a
link from before the spoiler are separated, too.
"""

from __future__ import annotations

import re
from bisect import bisect
from typing import TYPE_CHECKING

from ..._events import Replaced
from ..markdown.break_points import AtomicRange
from ..markdown.delimiter_stack import SpanKind
from ..markdown.line_kinds import Line, read_line
from .leaks import URL, find_leaks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markdown.delimiter_stack import Span
    from ..parsed_text import ParsedText
    from ..traced_text import Edit, TracedText

SPOILER = "spoiler"
"""The name of this rule in records."""

MAX_LINE_CHARS = 4000
"""Characters of the current line that are remembered; no message is longer."""

_PIPES = re.compile(r"(?<=\|)\|")
_TARGET = re.compile(r"\](?=\()")
_LINKS = frozenset({SpanKind.LINK, SpanKind.CODE, SpanKind.FENCE})
_BLOCKS = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.BLOCK_QUOTE, Line.HEADING, Line.SUBTEXT})


def keep_hidden(parsed: ParsedText, before: str = "") -> list[Edit]:
    """Return edits after which Discord hides everything that the model hid.

    Args:
        parsed: The text.
        before: The start of the line that the text continues.

    """
    text = parsed.text
    added: dict[int, str] = {}  # text to insert, by the position of the next character
    alone: list[Edit] = []  # pipes that hide nothing on their line and are removed
    spoilers = sorted(span for span in parsed.spans if span.mark == "||")
    hidden = AtomicRange((span.start, span.end) for span in spoilers)
    links = AtomicRange(
        (span.start, span.end) for span in parsed.spans if span.mark in _LINKS and not hidden.free(span.start)
    )
    fences = _fence_spans(parsed)
    # Escape markers first: pipes that are added at the same position must come before the backslash.
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
    """Keep spoilers hidden in parts of a line that are `joined` again later; remembers the line so far."""

    def __init__(self, *, joined: bool) -> None:
        self._joined = joined
        self._line = ""

    def edit(self, parsed: ParsedText) -> list[Edit]:
        """Return the edits of `keep_hidden` for the next part of the line."""
        return keep_hidden(parsed, self._line)

    def remember(self, traced: TracedText) -> TracedText:
        """Remember text that was returned, and return it."""
        if self._joined:
            text = traced.text
            self._line = "" if text[-1:] == "\n" else (self._line + text)[-MAX_LINE_CHARS:]
        return traced

    def reset(self) -> None:
        """Forget the line: the next text is another message."""
        self._line = ""


def drop_empty_ends(parsed: ParsedText) -> list[Edit]:
    """Return edits that move a spoiler's pipes next to its words if they are alone on a line of a quote."""
    text = parsed.text
    edits: list[Edit] = []
    fences = _fence_spans(parsed)
    for span in sorted(span for span in parsed.spans if span.mark == "||"):
        words = _words(text, span, fences)
        if not words:
            continue
        first, last = words[0][0], words[-1][1]
        before, marker = text[_line(text, span.start) : span.start], text[_line(text, first) : first]
        # Pipes alone on the first quoted line move down to the first words.
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
    """Return insertions, by position, that keep Discord from ending an outer span inside a spoiler.

    A backslash does not work for code. Such leaks are cut apart later, see `isolation.py`.
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
    """Yield the unescaped characters of a kind inside a spoiler."""
    for at in range(span.start + 2, span.end - 2):
        if text[at] == mark and text[at - 1] != "\\":
            yield at


def _targets(parsed: ParsedText, span: Span, links: AtomicRange) -> Iterator[int]:
    """Yield where a `](` inside a spoiler would end a link that began before it."""
    for found in _TARGET.finditer(parsed.text, span.start + 2, span.end - 2):
        if links.free(found.start()):
            yield found.end()


def _line_ends(text: str, span: Span, words: list[tuple[int, int]]) -> Iterator[int]:
    """Yield where pipes are added: at both ends of each line, except where the spoiler has its own."""
    for number, (start, end) in enumerate(words):
        if number or "\n" in text[span.start : start]:
            yield start
        if number < len(words) - 1 or "\n" in text[end : span.end]:
            yield end


def _lone_pipes(text: str, span: Span, words: list[tuple[int, int]]) -> Iterator[int]:
    """Yield pipes on a line without words: together with the next added pipes they would hide nothing."""
    if words and "\n" in text[span.start : words[0][0]]:
        yield span.start
    if words and "\n" in text[words[-1][1] : span.end]:
        yield span.end - 2


def _words(text: str, span: Span, fences: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the non-empty lines of a spoiler that spans several blocks, without their markers."""
    if text.find("\n", span.start, span.end) < 0:
        return []
    lines = list(_lines(text, span, fences))
    # Discord hides lines of plain prose as one spoiler; only blocks divide it.
    if len(lines) < 2 or not any(kind in _BLOCKS for kind, _, _ in lines):
        return []
    return [(start, end) for _, start, end in lines if start < end]


def _fence_spans(parsed: ParsedText) -> list[tuple[int, int]]:
    return sorted((span.start, span.end) for span in parsed.spans if span.mark == SpanKind.FENCE)


def _lines(text: str, span: Span, fences: list[tuple[int, int]]) -> Iterator[tuple[Line, int, int]]:
    """Yield the kind and content range of each line of a spoiler; a code block counts as one line."""
    last = span.end - 2
    line = _line(text, span.start)
    at = span.start + 2
    while True:
        kind, content = read_line(text, line, final=True) or (Line.PROSE, line)
        start = max(at, content)
        newline = _newline(text, start)
        # A code block cannot be closed and reopened line by line, so it is one line.
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
