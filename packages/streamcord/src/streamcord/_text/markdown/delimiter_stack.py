"""The stack of open delimiters, and the break points that depend on them.

A closing delimiter deletes the break points since its opening one, because they are inside a span. An opening
delimiter that expires or is discarded deletes nothing. A break point is certain once no delimiter before it is
open. So no text is read twice, and each delimiter and each break point is pushed and removed once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from ..._events import Boundary
from ..language.graphemes import grapheme_start
from .line_groups import LineGroup
from .line_kinds import Line, read_line

NEVER = 1 << 62
SPOILER_CUT_WINDOW_CHARS = 300
"""A spoiler without an end is cut at white space within this distance before its limit."""


class SpanKind:
    """Names of spans that are not their own delimiter."""

    FENCE = "```"
    CODE = "`"
    URL = "url"
    TAG = "<"
    LINK = "["
    STRAY = "stray fence"
    OPERATOR = "operator"
    FORMULA = "formula"


class Span(NamedTuple):
    """A range that must not be cut; `mark` is its opening delimiter, or its name in `SpanKind`."""

    mark: str
    start: int
    end: int


to_span: Callable[[tuple[str, int, int]], Span] = partial(tuple.__new__, Span)
"""Build a span from its three values; skips the argument handling of `Span(...)`, which costs half the time."""


class BreakPoint(NamedTuple):
    """A place where the text may be cut: right before `at`."""

    at: int
    why: Boundary
    blank: bool
    before: Line
    after: Line | None  # None while the kind of the next line is not known
    inside: str = ""  # the marker of the span that is closed here and reopened after the cut
    group: LineGroup = LineGroup.NONE  # what joins the lines around it
    unclosed: bool = False  # after a code block without a closing fence


class Delimiter(NamedTuple):
    """An opening marker that waits for its closing one: at most `reach` characters, or only on its line.

    A `loose` one is text if nothing closes it; pipes that are not loose hide the following text in any case.
    One that is `tied` to the word before it may also be closed on another line of a list. One with `paragraphs`
    may be closed in a later paragraph: then it is closed and reopened at each blank line.
    """

    mark: str
    at: int
    breaks: int
    reach: int
    one_line: bool
    loose: bool = False
    tied: bool = False
    paragraphs: bool = False


class DelimiterStack:
    """The stack of delimiters, the places between them, and the spans that have closed."""

    def __init__(self) -> None:
        # Delimiters that are open, in the order of their positions.
        self.stack: list[Delimiter] = []
        # Break points that are not taken yet, in order.
        self.breaks: list[BreakPoint] = []
        # Closed spans, in the order of their ends.
        self.spans: list[Span] = []
        # How many delimiters of each kind are on the stack, so that most lookups need no search.
        self._open: dict[str, int] = {}
        # How many break points `pop_break` has returned: `Delimiter.breaks` counts from the first one ever added.
        self._taken = 0

    def __contains__(self, mark: str) -> bool:
        return self.count(mark) > 0

    def count(self, mark: str) -> int:
        """Return how many delimiters of a kind are open."""
        return self._open.get(mark, 0)

    @property
    def floor(self) -> int:
        """Every break point up to this position is decided."""
        return self.stack[0].at if self.stack else NEVER

    @property
    def expiry(self) -> int:
        """The text length at which the first open delimiter expires."""
        return self.stack[0].at + self.stack[0].reach + 1 if self.stack else NEVER

    def add_break(
        self,
        at: int,
        why: Boundary,
        before: Line,
        after: Line | None,
        *,
        blank: bool,
        group: LineGroup = LineGroup.NONE,
        unclosed: bool = False,
    ) -> None:
        """Add a break point; it counts if no delimiter before it closes after it."""
        self.breaks.append(BreakPoint(at, why, blank, before, after, group=group, unclosed=unclosed))

    def set_next_line_kind(self, after: Line) -> None:
        """Record the kind of the line after the last break point, once it is known."""
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
        paragraphs: bool = False,
    ) -> None:
        """Push an opening marker."""
        first = self._taken + len(self.breaks)
        self.stack.append(Delimiter(mark, at, first, reach, one_line, loose, tied, paragraphs))
        self._open[mark] = self._open.get(mark, 0) + 1

    def find(self, mark: str, at: int) -> int | None:
        """Return the index of the nearest open delimiter of a kind that is in reach, or None."""
        if not self._open.get(mark):
            return None
        index = len(self.stack) - 1
        while self.stack[index].mark != mark:
            if self.stack[index].mark == "||" and not self.stack[index].loose:
                return None  # a span that begins before a spoiler does not end inside it
            index -= 1
        if at - self.stack[index].at <= self.stack[index].reach:
            return index
        # The nearest one is out of reach, and older ones of its kind are further away.
        self.stack = [delimiter for delimiter in self.stack if delimiter.mark != mark]
        self._open[mark] = 0
        return None

    def close(self, mark: str, at: int, end: int, name: str = "") -> bool:
        """Close the nearest open delimiter of a kind and discard those after it; return whether there was one."""
        index = self.find(mark, at)
        if index is None:
            return False
        delimiter = self.stack[index]
        self._discard(index + 1)
        self.stack.pop()
        self._open[mark] -= 1
        # These break points are inside the new span.
        first = max(0, delimiter.breaks - self._taken)
        inside, start = self.breaks[first:], delimiter.at
        del self.breaks[first:]
        for place in inside:
            if delimiter.paragraphs and place.blank:
                self.breaks.append(place._replace(inside=mark))
                self.spans.append(Span(mark, start, place.at))
                start = place.at
        self.spans.append(Span(name or mark, start, end))
        return True

    def leaves_paragraph(self, mark: str, at: int) -> bool:
        """Return whether a paragraph has ended since the nearest open delimiter of a kind."""
        index = self.find(mark, at)
        if index is None or not self.stack[index].paragraphs:
            return False
        return any(place.blank for place in self.breaks[max(0, self.stack[index].breaks - self._taken) :])

    def drop(self, mark: str, at: int) -> None:
        """Remove the nearest open delimiter of a kind: it was text."""
        index = self.find(mark, at)
        if index is not None:
            del self.stack[index]
            self._open[mark] -= 1

    def expire(self, at: int, text: str) -> None:
        """Remove delimiters that are out of reach; a spoiler out of reach is closed and reopened instead."""
        while self.stack and at - self.stack[0].at > self.stack[0].reach:
            if self.stack[0].mark == "||" and not self.stack[0].loose:
                self._continue_spoiler(text)
                continue
            delimiter = self.stack.pop(0)
            self._open[delimiter.mark] -= 1
            if delimiter.loose:
                self.add_operator(delimiter.at)

    def _continue_spoiler(self, text: str) -> None:
        """Cut the spoiler at the bottom of the stack, which is too long to wait for its end.

        The text before the cut becomes a closed span, and the spoiler is reopened after the cut.
        """
        delimiter = self.stack[0]
        cut = _find_cut(text, delimiter.at, delimiter.reach, self.spans)
        inside = [delimiter for delimiter in self.stack[1:] if delimiter.at < cut]
        later = [delimiter for delimiter in self.stack[1:] if delimiter.at >= cut]
        for lost in inside:
            self._open[lost.mark] -= 1
        first = max(0, delimiter.breaks - self._taken)
        gone = [place for place in self.breaks[first:] if place.at <= cut]
        place = BreakPoint(cut, Boundary.OVERFLOW, False, Line.PROSE, Line.PROSE, inside="||")
        self.breaks[first : first + len(gone)] = [place]
        moved = len(gone) - 1
        self._insert(Span("||", delimiter.at, cut))
        self.stack = [
            delimiter._replace(at=cut, breaks=self._taken + first + 1),
            *(one._replace(breaks=one.breaks - moved) for one in later),
        ]

    def add_operator(self, at: int) -> None:
        """Record that the pipes here are an operator, not a spoiler."""
        self._insert(Span(SpanKind.OPERATOR, at, at + 2))

    def _insert(self, span: Span) -> None:
        """Insert a span, in the order of their ends."""
        index = len(self.spans)
        while index and self.spans[index - 1].end > span.end:
            index -= 1
        self.spans.insert(index, span)

    def end_line(self, start: int) -> None:
        """Remove the delimiters of this line that must be closed on it and were not."""
        index = len(self.stack)
        while index and self.stack[index - 1].at >= start:
            index -= 1
        kept = [delimiter for delimiter in self.stack[index:] if not delimiter.one_line]
        for delimiter in self.stack[index:]:
            self._open[delimiter.mark] -= delimiter.one_line
        self.stack[index:] = kept

    def end_paragraph(self, *, blank: bool = True, prose: bool = False) -> None:
        """Remove delimiters at the end of a paragraph: a `blank` line, or the start of a block.

        Spoilers stay, and before `prose` also those that may be closed in another paragraph.
        """
        if self.stack:
            self.resolve_loose_pipes(tied=blank)
            self.stack = [one for one in self.stack if one.mark == "||" or (prose and one.paragraphs)]
            self._open = Counter(one.mark for one in self.stack)

    def resolve_loose_pipes(self, *, tied: bool = True) -> None:
        """Turn loose pipes that nothing closed into operators, those tied to a word only with `tied`."""
        if self._open.get("||"):
            for delimiter in [
                delimiter for delimiter in self.stack if delimiter.loose and (tied or not delimiter.tied)
            ]:
                self.drop("||", delimiter.at)
                self.add_operator(delimiter.at)

    def end_text(self, text: str) -> None:
        """End the text: unclosed loose pipes are operators, unless they are the second ones of a list item."""
        self.stack = [
            delimiter._replace(
                loose=delimiter.loose and not (delimiter.tied and _hides_item(text, delimiter.at))
            )
            for delimiter in self.stack
        ]
        self.resolve_loose_pipes()

    def flush(self) -> None:
        """Discard all open delimiters at the end of the text."""
        self._discard(0)

    def drop_breaks_after(self, at: int) -> None:
        """Delete the break points after a position: the text from there on is closed by us and stays whole."""
        self.breaks = [place for place in self.breaks if place.at <= at]

    def pop_break(self) -> BreakPoint | None:
        """Remove and return the next certain break point, or None."""
        if not self.breaks or (self.stack and self.breaks[0].at > self.stack[0].at):
            return None
        self._taken += 1
        return self.breaks.pop(0)

    def within(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the spans inside a range, counted from its start."""
        # Spans are in the order of their ends. Single quotes only keep sentences together, so they are left out.
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
        """Forget the text before `until`; positions count from `by` characters later."""
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
    """Return whether pipes are the second ones of their line and a list item follows (`- ||b||`, `- c`)."""
    start = text.find("\n", at) + 1
    if not start or "||" not in text[text.rfind("\n", 0, at) + 1 : at]:
        return False
    line = read_line(text, start, final=True)
    return line is not None and line[0] is Line.ITEM and bool(text[line[1] :].strip(" -*+•"))


def _find_cut(text: str, start: int, reach: int, spans: Sequence[Span]) -> int:
    """Return where to cut a spoiler that is too long: after white space if possible, and not inside a span."""
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
