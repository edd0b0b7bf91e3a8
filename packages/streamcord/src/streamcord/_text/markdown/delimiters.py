"""The delimiters that may yet close, and the places to cut that depend on them.

A closer deletes the places since its delimiter, for they lie inside a span. An delimiter that expires or is
discarded deletes nothing. A place is certain once no delimiter before it is open. So nothing is ever read twice,
and each delimiter and each place is pushed and removed once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from ..._events import Boundary
from ..language.graphemes import grapheme_start
from .line_kinds import Line, read_line

__all__ = [
    "NEVER",
    "BreakPoint",
    "Delimiter",
    "DelimiterStack",
    "Span",
    "SpanKind",
    "to_span",
]

NEVER = 1 << 62
SPOILER_CUT_WINDOW_CHARS = 300
"""How far before the end of its hold a spoiler is cut, at white space."""


class SpanKind:
    """Names of spans that are not their own delimiter."""

    FENCE = "```"
    CODE = "`"
    URL = "url"
    TAG = "<"
    LINK = "["
    OPERATOR = "operator"
    FORMULA = "formula"


class Span(NamedTuple):
    """A range that must stay whole; `mark` is its opening delimiter, or its name in `SpanKind`."""

    mark: str
    start: int
    end: int


to_span: Callable[[tuple[str, int, int]], Span] = partial(tuple.__new__, Span)
"""A span of its three values, at half the price: for those who move many."""


class BreakPoint(NamedTuple):
    """A place where the text may be cut: right before `at`."""

    at: int
    why: Boundary
    blank: bool
    before: Line
    after: Line | None  # not known yet, if it does not matter to the cut
    hidden: bool = False  # inside a spoiler, which is closed here and goes on behind


class Delimiter(NamedTuple):
    """A marker that waits for its closer: at most `reach` characters, perhaps only on its line.

    A loose one is no delimiter if nothing closes it; bars that are not loose hide what follows in any case.
    One that is `tied` to the word before it may also be closed in another line of a list.
    """

    mark: str
    at: int
    breaks: int
    reach: int
    one_line: bool
    loose: bool = False
    tied: bool = False


class DelimiterStack:
    """The stack of delimiters, the places between them, and the spans that have closed."""

    def __init__(self) -> None:
        self.stack: list[Delimiter] = []
        self.breaks: list[BreakPoint] = []
        self.spans: list[Span] = []
        self._open: dict[str, int] = {}
        self._taken = 0

    def __contains__(self, mark: str) -> bool:
        return self.count(mark) > 0

    def count(self, mark: str) -> int:
        """How many delimiters of a kind wait."""
        return self._open.get(mark, 0)

    @property
    def floor(self) -> int:
        """Every place up to here is decided."""
        return self.stack[0].at if self.stack else NEVER

    @property
    def expiry(self) -> int:
        """How far must be read for the first delimiter to have expired."""
        return self.stack[0].at + self.stack[0].reach + 1 if self.stack else NEVER

    def add_break(self, at: int, why: Boundary, before: Line, after: Line | None, *, blank: bool) -> None:
        """The text may be cut here, if no delimiter before it closes behind it."""
        self.breaks.append(BreakPoint(at, why, blank, before, after))

    def set_next_line_kind(self, after: Line) -> None:
        """The kind of the line behind the last place is known now."""
        if self.breaks and self.breaks[-1].after is None:
            self.breaks[-1] = self.breaks[-1]._replace(after=after)

    def push(
        self,
        mark: str,
        at: int,
        reach: int,
        *,
        one_line: bool = False,
        loose: bool = False,
        tied: bool = False,
    ) -> None:
        """A marker opens here."""
        self.stack.append(Delimiter(mark, at, self._taken + len(self.breaks), reach, one_line, loose, tied))
        self._open[mark] = self._open.get(mark, 0) + 1

    def find(self, mark: str, at: int) -> int | None:
        """The index of the nearest delimiter of a kind that is still in reach."""
        if not self._open.get(mark):
            return None
        index = len(self.stack) - 1
        while self.stack[index].mark != mark:
            if self.stack[index].mark == "||" and not self.stack[index].loose:
                return None  # what stands before a spoiler does not end inside it
            index -= 1
        if at - self.stack[index].at <= self.stack[index].reach:
            return index
        self.stack = [delimiter for delimiter in self.stack if delimiter.mark != mark]
        self._open[mark] = 0
        return None

    def close(self, mark: str, at: int, end: int, name: str = "") -> bool:
        """Close the nearest delimiter of a kind and discard those behind it."""
        index = self.find(mark, at)
        if index is None:
            return False
        delimiter = self.stack[index]
        self._discard(index + 1)
        self.stack.pop()
        self._open[mark] -= 1
        del self.breaks[max(0, delimiter.breaks - self._taken) :]
        self.spans.append(Span(name or mark, delimiter.at, end))
        return True

    def drop(self, mark: str, at: int) -> None:
        """The nearest delimiter of a kind turns out to be none."""
        index = self.find(mark, at)
        if index is not None:
            del self.stack[index]
            self._open[mark] -= 1

    def expire(self, at: int, text: str) -> None:
        """Openers at the bottom that are out of reach were none; a spoiler is closed, and goes on."""
        while self.stack and at - self.stack[0].at > self.stack[0].reach:
            if self.stack[0].mark == "||" and not self.stack[0].loose:
                self._continue_spoiler(text)
                continue
            delimiter = self.stack.pop(0)
            self._open[delimiter.mark] -= 1
            if delimiter.loose:
                self.add_operator(delimiter.at)

    def _continue_spoiler(self, text: str) -> None:
        """The spoiler at the bottom has no end in sight: what is held of it leaves closed, and it goes on."""
        delimiter = self.stack[0]
        cut = _find_cut(text, delimiter.at, delimiter.reach, self.spans)
        inside = [delimiter for delimiter in self.stack[1:] if delimiter.at < cut]
        later = [delimiter for delimiter in self.stack[1:] if delimiter.at >= cut]
        for lost in inside:
            self._open[lost.mark] -= 1
        first = max(0, delimiter.breaks - self._taken)
        gone = [place for place in self.breaks[first:] if place.at <= cut]
        place = BreakPoint(cut, Boundary.OVERFLOW, False, Line.PROSE, Line.PROSE, hidden=True)
        self.breaks[first : first + len(gone)] = [place]
        moved = len(gone) - 1
        self._insert(Span("||", delimiter.at, cut))
        self.stack = [
            delimiter._replace(at=cut, breaks=self._taken + first + 1),
            *(one._replace(breaks=one.breaks - moved) for one in later),
        ]

    def add_operator(self, at: int) -> None:
        """The bars here are an operator."""
        self._insert(Span(SpanKind.OPERATOR, at, at + 2))

    def _insert(self, span: Span) -> None:
        """One more span, in the order of their ends."""
        index = len(self.spans)
        while index and self.spans[index - 1].end > span.end:
            index -= 1
        self.spans.insert(index, span)

    def end_line(self, start: int) -> None:
        """Openers of this line that must close on it did not."""
        index = len(self.stack)
        while index and self.stack[index - 1].at >= start:
            index -= 1
        kept = [delimiter for delimiter in self.stack[index:] if not delimiter.one_line]
        for delimiter in self.stack[index:]:
            self._open[delimiter.mark] -= delimiter.one_line
        self.stack[index:] = kept

    def end_paragraph(self, *, blank: bool = True) -> None:
        """Only spoilers run over the end of a paragraph, be it a `blank` line or another block."""
        if self.stack:
            self.resolve_loose_pipes(tied=blank)
            self.stack = [delimiter for delimiter in self.stack if delimiter.mark == "||"]
            self._open = {"||": len(self.stack)}

    def resolve_loose_pipes(self, *, tied: bool = True) -> None:
        """Loose bars that nothing closed are operators, those that are `tied` to a word not always."""
        if self._open.get("||"):
            for delimiter in [
                delimiter for delimiter in self.stack if delimiter.loose and (tied or not delimiter.tied)
            ]:
                self.drop("||", delimiter.at)
                self.add_operator(delimiter.at)

    def end_text(self, text: str) -> None:
        """Nothing more will come: bars that nothing closed are operators, but for the second of an item."""
        self.stack = [
            delimiter._replace(
                loose=delimiter.loose and not (delimiter.tied and _hides_item(text, delimiter.at))
            )
            for delimiter in self.stack
        ]
        self.resolve_loose_pipes()

    def flush(self) -> None:
        """Nothing more will come: whatever is open was no delimiter."""
        self._discard(0)

    def drop_breaks_after(self, at: int) -> None:
        """What lies behind this place will be closed by us, so it is a span."""
        self.breaks = [place for place in self.breaks if place.at <= at]

    def pop_break(self) -> BreakPoint | None:
        """The next place that is certain."""
        if not self.breaks or (self.stack and self.breaks[0].at > self.stack[0].at):
            return None
        self._taken += 1
        return self.breaks.pop(0)

    def within(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans of a slice, counted from its start; a single quote keeps only sentences together."""
        # They stand in the order of their ends.
        spans = self.spans
        if not spans or spans[-1].end <= start:
            return ()
        low = bisect_right(spans, start, key=_END)
        high = len(spans) if spans[-1].end <= end else bisect_right(spans, end, low, key=_END)
        found = [
            to_span((mark, first - start, last - start))
            for mark, first, last in spans[low:high]
            if start <= first and mark != "'"
        ]
        return tuple(found)

    def shift(self, by: int, until: int) -> None:
        """The text before `until` is gone, and positions count from `by` characters later."""
        self.stack = [delimiter._replace(at=delimiter.at - by) for delimiter in self.stack]
        self.breaks = [place._replace(at=place.at - by) for place in self.breaks]
        self.spans = [Span(s.mark, s.start - by, s.end - by) for s in self.spans if s.end > until]

    def _discard(self, index: int) -> None:
        for delimiter in self.stack[index:]:
            self._open[delimiter.mark] -= 1
            if delimiter.loose:
                self.add_operator(delimiter.at)
        del self.stack[index:]


_SPACES = re.compile(r"\s+")
_END = itemgetter(2)


def _hides_item(text: str, at: int) -> bool:
    """Whether bars are the second of their line and an item follows it (`- ||b||`, `- c`)."""
    start = text.find("\n", at) + 1
    if not start or "||" not in text[text.rfind("\n", 0, at) + 1 : at]:
        return False
    line = read_line(text, start, final=True)
    return line is not None and line[0] is Line.ITEM and bool(text[line[1] :].strip(" -*+•"))


def _find_cut(text: str, start: int, reach: int, spans: Sequence[Span]) -> int:
    """Where a spoiler is cut that goes on: behind white space if there is some, and in nothing whole."""
    limit = start + reach
    inner = [span for span in spans if span.start > start and span.end > limit - SPOILER_CUT_WINDOW_CHARS]

    def free(at: int) -> bool:
        return not any(span.start < at < span.end for span in inner)

    low = max(start + 3, limit - SPOILER_CUT_WINDOW_CHARS)
    spaces = [found.end() for found in _SPACES.finditer(text, low, limit)]
    for cut in reversed(spaces):
        if cut < limit and free(cut):
            return cut
    return max(grapheme_start(text, limit), start + 1)
