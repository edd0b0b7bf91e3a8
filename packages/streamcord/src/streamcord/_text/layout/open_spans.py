"""What a long text is made of: what must stay whole in it, and what is closed at a cut and continues after it.

Things that fit one message stay whole. Things that do not carry their parts: each of them begins and ends
with their markers. Of a text whose lines know what is in them only the lines are looked at that somebody
wants to cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Replaced
from ..markdown.break_points import AtomicRange
from ..markdown.code_fences import opening_line
from ..markdown.delimiters import Span, SpanKind
from ..markdown.line_kinds import Line, read_line
from ..markdown.scanner import scan
from ..spoilers.rule import find_joints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..._settings import Settings
    from ..traced_text import TracedText

__all__ = ["LINE_MARKS", "MAX_LINE_MARKER_CHARS", "MIN_MARKDOWN_LIMIT", "ReopenableSpan", "TextStructure"]

MIN_MARKDOWN_LIMIT = 32
"""Below this a fence and its reopening leave no room: everything is plain text."""

MIN_CONTENT_CHARS = 8
"""What closing and reopening must leave for the text itself, and for the marker of its line."""

MAX_LINE_MARKER_CHARS = 7
"""That of a heading of the sixth level."""

_NEWLINE = re.compile("[\n\x85\u2028\u2029]")  # whatever a client draws as one
_TICKS = re.compile("`+")
_MARKED_LINE = re.compile(r"^[ \t]*+(?=[>#]|-#)", re.MULTILINE)
_START, _END = itemgetter(1), itemgetter(2)
_HAS_CERTAIN_SPANS = attrgetter("has_certain_spans")
_ZERO_WIDTH_SPACE = "\u200b"
_REOPENED = frozenset({"*", "**", "***", "_", "__", "___", "~~", "||"})
_CUT = _REOPENED | {SpanKind.CODE, SpanKind.FENCE}
_QUOTES = frozenset({Line.QUOTE, Line.BLOCK_QUOTE})
LINE_MARKS = _QUOTES | {Line.HEADING, Line.SUBTEXT}
"""Lines whose parts begin with their marker again."""


class ReopenableSpan(NamedTuple):
    """Something too long for a message: what a part inside it must begin and end with."""

    start: int  # after its opener,
    end: int  # and before its closer
    prefix: str
    suffix: str
    code: bool = False


class TextStructure:
    """What is in a text that is to be cut into parts of at most `limit` characters.

    known: what must stay whole in it is for certain what the passage knows of it, if it does.
    """

    def __init__(self, traced: TracedText, limit: int, settings: Settings, *, known: bool) -> None:
        self._passage = traced
        self._text = traced.text
        self._limit = limit
        self._settings = settings
        self.spoiler_edges: list[tuple[int, int]] = []
        """The ends of spoilers that do not fit."""
        self._reopenable: list[ReopenableSpan] = []
        self._lines: list[ReopenableSpan] = []  # those of them that are lines
        self._starts = [0]  # of the pieces that are looked at one by one,
        self._found: dict[int, AtomicRange] = {}  # and what was found in them
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
        """What must stay whole around a place."""
        number = bisect_right(self._starts, at) - 1
        if self._starts[number] == at:
            return _NOTHING
        return self._found.get(number) or self._scan_line(number)

    def around(self, at: int) -> list[ReopenableSpan]:
        """Return the carriers that a cut here would break, outermost first."""
        self.whole(at)
        return [
            outer
            for outer in self._reopenable
            if outer.start <= at <= outer.end and at and not _is_at_edge(outer, at)
        ]

    def _scan_line(self, number: int) -> AtomicRange:
        """Look at one line of several; if it does not know what is in it, at all of them."""
        spans = self._passage.lines[number].find_atomic_ranges(self._starts[number])
        if spans is None:
            self._reopenable, self._starts, self._found = [], [0], {}
            return self._scan_all(None)
        atoms: list[tuple[int, int]] = []
        self._classify_spans(_from_outside(spans), atoms)
        self._found[number] = AtomicRange(atoms)
        return self._found[number]

    def _scan_all(self, atomic_spans: Sequence[Span] | None) -> AtomicRange:
        spans = _from_outside(scan(self._text, self._settings) if atomic_spans is None else atomic_spans)
        atoms: list[tuple[int, int]] = []
        self._add_lines(spans)
        self._classify_spans(spans, atoms)
        atoms += self._joined(spans)
        atoms += _kept_apart(self._passage) if _ZERO_WIDTH_SPACE in self._text else ()
        self._found[0] = AtomicRange(atoms)
        return self._found[0]

    def _classify_spans(self, spans: list[Span], atoms: list[tuple[int, int]]) -> None:
        """Return spans that fit are atoms; the others carry their parts, and their content is looked at."""
        stack: list[tuple[int, int]] = []  # the ends of carriers around, with their cost
        atom_end = 0
        for span in spans:
            mark, start, end = span
            if end <= atom_end or mark == SpanKind.OPERATOR:
                continue
            while stack and stack[-1][0] <= start:
                stack.pop()
            if not stack and mark != "||" and end - start <= self._limit - MAX_LINE_MARKER_CHARS:  # as most
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
            min_content = 1 if mark == "||" else MIN_CONTENT_CHARS  # what is hidden stays so at any price
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
        """Spoilers that are one, on several lines, and fit."""
        joints = list(find_joints(self._passage)) if "||" in self._text else []
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
        """Opener and closer; those of a spoiler keep a character, lest bars meet bars at a cut."""
        if span.mark != "||":
            return [(span.start, outer.start), (outer.end, span.end)]
        last = len(self._text[: outer.end].rstrip()) - 1
        edges = [(span.start, outer.start + 1), (max(last, outer.start), span.end)]
        self.spoiler_edges += edges
        return edges

    def _is_close(self, size: int) -> bool:
        """Return whether the marker of a line decides if something fits; looking for it each time would be slow."""
        return 0 <= self._limit - size < MAX_LINE_MARKER_CHARS

    def _line_cost(self, span: Span) -> int:
        """What the marker of its line costs a span that a part begins with or that right follows it."""
        lines = [line for line in self._lines if line.start <= span.start <= line.end]
        written = span.start - self._text.rfind("\n", 0, span.start) - 1
        return sum(max(len(line.prefix), written * (line.start == span.start)) for line in lines)

    def _make_reopenable(self, span: Span) -> ReopenableSpan | None:
        if span.mark == SpanKind.FENCE:
            return self._make_reopenable_fence(span)
        if span.mark == SpanKind.CODE:
            mark = _TICKS.match(self._text, span.start)[0]  # type: ignore[index]
            return ReopenableSpan(span.start + len(mark), span.end - len(mark), mark, mark)
        if span.mark in _REOPENED:
            size = len(span.mark)
            return ReopenableSpan(span.start + size, span.end - size, span.mark, span.mark)
        return None

    def _make_reopenable_fence(self, span: Span) -> ReopenableSpan:
        line = self._text[self._text.rfind("\n", 0, span.start) + 1 : span.start]
        quote = "> " if line.lstrip().startswith(">") and ">>>" not in line else ""
        prefix = quote + opening_line(self._text, span.start, 3)
        if 2 * len(prefix) > self._limit:
            prefix = f"{quote}```\n"
        return ReopenableSpan(span.start + 3, span.end - 3, prefix, f"\n{quote}```", code=True)

    def _code_lines(self, outer: ReopenableSpan, limit: int) -> Iterator[tuple[int, int]]:
        """Return a line of code that fits a message stays whole."""
        start = outer.start
        while start < outer.end:
            newline = _NEWLINE.search(self._text, start, outer.end)
            end = newline.start() if newline else outer.end
            if end - start <= limit:
                yield start, end
            start = end + 1

    def _add_lines(self, spans: Iterable[Span]) -> None:
        """Return a quote, heading or subtext that is cut continues as one."""
        fences = AtomicRange((span.start, span.end) for span in spans if span.mark == SpanKind.FENCE)
        marks = LINE_MARKS
        for line in _MARKED_LINE.finditer(self._text):
            start = line.start()
            kind, content = read_line(self._text, start, final=True) or (Line.PROSE, start)
            if kind in marks and (fences.free(start) or kind is Line.QUOTE):
                newline = self._text.find("\n", start)
                last = newline if newline >= 0 else len(self._text)
                if kind is Line.BLOCK_QUOTE:  # all the rest is in it, and no quote begins in another
                    last, marks = len(self._text), LINE_MARKS - _QUOTES
                marker = self._text[start:content].strip() + " "
                self._reopenable.append(ReopenableSpan(min(content, last), last, marker, ""))
        self._lines = list(self._reopenable)


_NOTHING = AtomicRange(())


def _is_at_edge(outer: ReopenableSpan, at: int) -> bool:
    """Return a line's marker is not repeated where the line ends."""
    return not outer.suffix and (at == outer.end or at <= outer.start)


def _from_outside(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, the outer before the inner."""
    return sorted(sorted(spans, key=_END, reverse=True), key=_START)


def _kept_apart(traced: TracedText) -> Iterator[tuple[int, int]]:
    """Backticks and bars that zero-width spaces keep apart: a part of them could not say what it was."""
    at = 0
    for length, _, record in traced.runs:
        if isinstance(record, Replaced) and _ZERO_WIDTH_SPACE in record.after:
            yield at, at + length
        at += length
