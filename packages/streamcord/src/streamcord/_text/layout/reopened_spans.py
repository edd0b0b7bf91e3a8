"""Find what must stay whole in a long text, and what is closed at a cut and reopened after it.

A span that fits in one message stays whole. A longer one is reopenable: each of its parts begins and ends with
its markers. If the lines of a text know their spans, only the lines that are to be cut are scanned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Replaced
from ..markdown.break_points import AtomicRange
from ..markdown.code_fence_reopening import reopening_markers
from ..markdown.delimiter_stack import Span, SpanKind
from ..markdown.line_kinds import Line, read_line
from ..markdown.scanner import scan
from ..spoilers.keep_hidden import find_joints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..._settings import Settings
    from ..traced_text import TracedText

MIN_MARKDOWN_LIMIT = 32
"""Below this limit a reopened fence leaves no space, and everything is cut as plain text."""

MIN_CONTENT_CHARS = 8
"""Characters that markers must leave for the text of a part."""

MAX_LINE_MARKER_CHARS = 7
"""Length of the longest line marker, that of a heading of level 6."""

_NEWLINE = re.compile("[\n\x85\u2028\u2029]")  # everything that clients draw as a line break
_TICKS = re.compile("`+")
_MARKED_LINE = re.compile(r"^[ \t]*+(?=[>#]|-#)", re.MULTILINE)
_START, _END = itemgetter(1), itemgetter(2)
_HAS_CERTAIN_SPANS = attrgetter("has_certain_spans")
_ZERO_WIDTH_SPACE = "\u200b"
_REOPENED = frozenset({"*", "**", "***", "_", "__", "___", "~~", "||"})
_CUT = _REOPENED | {SpanKind.CODE, SpanKind.FENCE}
_QUOTES = frozenset({Line.QUOTE, Line.BLOCK_QUOTE})
LINE_MARKS = _QUOTES | {Line.HEADING, Line.SUBTEXT}
"""Lines whose parts begin with the line's marker again."""


class ReopenableSpan(NamedTuple):
    """A span that is too long for a message, and the markers of each of its parts."""

    # The content, without the span's own markers.
    start: int
    end: int
    prefix: str
    suffix: str
    code: bool = False


class TextStructure:
    """The spans of a text that is cut into parts of at most `limit` characters.

    With `known`, the spans that the traced text remembers are complete, so it is not scanned again.
    """

    def __init__(self, traced: TracedText, limit: int, settings: Settings, *, known: bool) -> None:
        self._traced = traced
        self._text = traced.text
        self._limit = limit
        self._settings = settings
        # The markers at both ends of spoilers that do not fit in a message.
        self.spoiler_edges: list[tuple[int, int]] = []
        # All spans that are reopened after a cut, outermost first.
        self._reopenable: list[ReopenableSpan] = []
        # Those of them that are lines: quotes, headings, subtext.
        self._lines: list[ReopenableSpan] = []
        # Starts of the pieces that are scanned one by one, and the atomic ranges found in them.
        self._starts = [0]
        self._found: dict[int, AtomicRange] = {}
        if limit < MIN_MARKDOWN_LIMIT:
            self._found[0] = AtomicRange(())
        elif (
            known
            and traced.lines
            and _ZERO_WIDTH_SPACE not in self._text
            and all(map(_HAS_CERTAIN_SPANS, traced.lines))
        ):
            self._starts = [*accumulate([len(line.text) for line in traced.lines], initial=0)]
            self._add_lines(())
        else:
            self._scan_all(traced.atomic_spans if known else None)

    def whole(self, at: int) -> AtomicRange:
        """Return the ranges around a position that must stay whole."""
        number = bisect_right(self._starts, at) - 1
        if self._starts[number] == at:
            return _NOTHING
        return self._found.get(number) or self._scan_line(number)

    def around(self, at: int) -> list[ReopenableSpan]:
        """Return the spans that a cut at a position must close and reopen, outermost first."""
        self.whole(at)
        return [
            outer
            for outer in self._reopenable
            if outer.start <= at <= outer.end and at and not _is_at_edge(outer, at)
        ]

    def _scan_line(self, number: int) -> AtomicRange:
        """Scan one line; if it does not know its spans, scan the whole text."""
        spans = self._traced.lines[number].find_atomic_ranges(self._starts[number])
        if spans is None:
            self._reopenable, self._starts, self._found = [], [0], {}
            return self._scan_all(None)
        atoms: list[tuple[int, int]] = []
        self._classify_spans(_from_outside(spans), atoms)
        self._found[number] = AtomicRange(atoms)
        return self._found[number]

    def _scan_all(self, atomic_spans: Sequence[Span] | None) -> AtomicRange:
        """Scan the whole text and return all atomic ranges."""
        spans = _from_outside(scan(self._text, self._settings) if atomic_spans is None else atomic_spans)
        atoms: list[tuple[int, int]] = []
        self._add_lines(spans)
        self._classify_spans(spans, atoms)
        atoms += self._joined(spans)
        atoms += _kept_apart(self._traced) if _ZERO_WIDTH_SPACE in self._text else ()
        self._found[0] = AtomicRange(atoms)
        return self._found[0]

    def _classify_spans(self, spans: list[Span], atoms: list[tuple[int, int]]) -> None:
        """Sort spans: those that fit are atomic, longer ones are reopenable and their content is examined."""
        # Ends of the enclosing reopenable spans, and the characters that their markers cost.
        stack: list[tuple[int, int]] = []
        atom_end = 0
        for span in spans:
            mark, start, end = span
            if end <= atom_end or mark == SpanKind.OPERATOR:
                continue
            while stack and stack[-1][0] <= start:
                stack.pop()
            # The common case: a short span outside of long ones.
            if not stack and mark != "||" and end - start <= self._limit - MAX_LINE_MARKER_CHARS:
                atoms.append((start, end))
                atom_end = end
                continue
            cost = sum([cost for _, cost in stack]) if stack else 0
            if mark == "||" or (mark in _CUT and self._is_close(end - start + cost)):
                cost += self._line_cost(span)
            if end - start + cost <= self._limit:
                atoms.append((start, end))
                atom_end = end
                continue
            outer = self._make_reopenable(span)
            own = len(outer.prefix) + len(outer.suffix) if outer else 0
            # A spoiler stays hidden even if almost no space is left for its text.
            min_content = 1 if mark == "||" else MIN_CONTENT_CHARS
            if outer is None or cost + own + min_content > self._limit:
                continue
            self._reopenable.append(outer)
            atoms += self._edges(span, outer)
            stack.append((end, own))
            if outer.code:
                atoms += self._code_lines(outer, self._limit - cost - own)
                atom_end = end
        self._reopenable.sort(key=lambda outer: (outer.start, -outer.end))

    def _joined(self, spans: list[Span]) -> Iterator[tuple[int, int]]:
        """Yield spoilers over several lines that are one spoiler and fit in a message."""
        joints = list(find_joints(self._traced)) if "||" in self._text else []
        if not joints:
            return
        hidden = [span for span in spans if span.mark == "||"]
        groups = AtomicRange([*joints, *((span.start, span.end) for span in hidden)])
        for start, end in {groups.around(start + 1) or (start, start) for start, _ in joints}:
            around = [one for one in self._reopenable if one.start <= start and end <= one.end and one.suffix]
            cost = sum(len(one.prefix) + len(one.suffix) for one in around)
            if end - start + cost + self._line_cost(Span("||", start, end)) <= self._limit:
                yield start, end

    def _edges(self, span: Span, outer: ReopenableSpan) -> list[tuple[int, int]]:
        """Return the ranges of both markers.

        Those of a spoiler include a character of content: otherwise bars would touch the bars added at a cut.
        """
        if span.mark != "||":
            return [(span.start, outer.start), (outer.end, span.end)]
        last = len(self._text[: outer.end].rstrip()) - 1
        edges = [(span.start, outer.start + 1), (max(last, outer.start), span.end)]
        self.spoiler_edges += edges
        return edges

    def _is_close(self, size: int) -> bool:
        """Return whether the line's marker decides if a span fits; looking it up for each span is slow."""
        return 0 <= self._limit - size < MAX_LINE_MARKER_CHARS

    def _line_cost(self, span: Span) -> int:
        """Return the characters that the line's marker costs a span at the start of a part."""
        lines = [line for line in self._lines if line.start <= span.start <= line.end]
        written = span.start - self._text.rfind("\n", 0, span.start) - 1
        return sum(max(len(line.prefix), written * (line.start == span.start)) for line in lines)

    def _make_reopenable(self, span: Span) -> ReopenableSpan | None:
        """Return the parts' markers for a span, or None if it cannot be reopened."""
        if span.mark == SpanKind.FENCE:
            prefix, suffix = reopening_markers(self._text, span.start, self._limit)
            return ReopenableSpan(span.start + 3, span.end - 3, prefix, suffix, code=True)
        if span.mark == SpanKind.CODE:
            mark = _TICKS.match(self._text, span.start)[0]  # type: ignore[index]
            return ReopenableSpan(span.start + len(mark), span.end - len(mark), mark, mark)
        if span.mark in _REOPENED:
            size = len(span.mark)
            return ReopenableSpan(span.start + size, span.end - size, span.mark, span.mark)
        return None

    def _code_lines(self, outer: ReopenableSpan, limit: int) -> Iterator[tuple[int, int]]:
        """Yield the lines of code that fit in a message: they stay whole."""
        start = outer.start
        while start < outer.end:
            newline = _NEWLINE.search(self._text, start, outer.end)
            end = newline.start() if newline else outer.end
            if end - start <= limit:
                yield start, end
            start = end + 1

    def _add_lines(self, spans: Iterable[Span]) -> None:
        """Add quotes, headings and subtext: each part of such a line repeats its marker."""
        fences = AtomicRange((span.start, span.end) for span in spans if span.mark == SpanKind.FENCE)
        marks = LINE_MARKS
        for line in _MARKED_LINE.finditer(self._text):
            start = line.start()
            kind, content = read_line(self._text, start, final=True) or (Line.PROSE, start)
            if kind in marks and (fences.free(start) or kind is Line.QUOTE):
                newline = self._text.find("\n", start)
                last = newline if newline >= 0 else len(self._text)
                # `>>>` quotes the rest of the message, and quotes do not nest.
                if kind is Line.BLOCK_QUOTE:
                    last, marks = len(self._text), LINE_MARKS - _QUOTES
                marker = self._text[start:content].strip() + " "
                self._reopenable.append(ReopenableSpan(min(content, last), last, marker, ""))
        self._lines = list(self._reopenable)


_NOTHING = AtomicRange(())


def _is_at_edge(outer: ReopenableSpan, at: int) -> bool:
    """Return whether a position is where a line's marker need not be repeated."""
    return not outer.suffix and (at == outer.end or at <= outer.start)


def _from_outside(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, the outer before the inner."""
    return sorted(sorted(spans, key=_END, reverse=True), key=_START)


def _kept_apart(traced: TracedText) -> Iterator[tuple[int, int]]:
    """Yield backticks and bars with zero-width spaces between them: cut, they would be markers again."""
    at = 0
    for length, _, record in traced.runs:
        if isinstance(record, Replaced) and _ZERO_WIDTH_SPACE in record.after:
            yield at, at + length
        at += length
