"""A text with its spans, which are scanned once, on first use."""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

from .markdown.break_points import AtomicRange
from .markdown.delimiter_stack import Span, SpanKind, to_span
from .markdown.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .._settings import Settings

_TAG = re.compile(r"<(?:@[!&]?\d+|a?:\w+:\d+)>")
_QUIET = re.compile(r"[^*_~|`\"<>\[\]()\n\\/'（）「」『』｢｣【】〈〉《》«»‹›“”„]*")
_QUIET_BEFORE = re.compile(rf"[ \t]?(?:{_TAG.pattern}|:\w+:|@\w+|{_QUIET.pattern})[ \t]?")
_QUIET_AFTER = re.compile(f"{_TAG.pattern}|{_QUIET.pattern}")
_CODE = frozenset({SpanKind.FENCE, SpanKind.CODE})
_OPAQUE = frozenset({SpanKind.FENCE, SpanKind.CODE, SpanKind.URL, SpanKind.TAG, SpanKind.FORMULA})
MAX_LINEAR_SPANS = 8
"""Up to this many spans are searched one by one; more are indexed."""
_EMOJI_TAG = ("<:", "<a:")


class ParsedText:
    """Tell the rules which parts of a text are code, URLs, tags or inside of other spans."""

    __slots__ = ("_atomic_spans", "_settings", "_spans", "text")

    def __init__(self, text: str, settings: Settings, spans: Sequence[Span] | None = None) -> None:
        self.text = text
        self._settings = settings
        # Everything that must stay whole, if it is known; else the text is scanned when it is first asked for.
        self._spans = spans
        # Ranges of some kinds of spans, by the name of the property that asked for them.
        self._atomic_spans: dict[str, AtomicRange] = {}

    @property
    def spans(self) -> Sequence[Span]:
        """Everything that must stay whole."""
        if self._spans is None:
            self._spans = scan(self.text, self._settings)
        return self._spans

    @property
    def code(self) -> AtomicRange:
        """Code, inline or fenced."""
        return self._atomic_spans.get("code") or self._keep(
            "code", ((span.start, span.end) for span in self.spans if span.mark in _CODE)
        )

    @property
    def whole(self) -> AtomicRange:
        """Whatever must stay whole."""
        return self._atomic_spans.get("whole") or self._keep(
            "whole", ((span.start, span.end) for span in self.spans)
        )

    @property
    def opaque(self) -> AtomicRange:
        """What no rule touches: code, formulas, URLs, targets of links, tags, but for custom emoji."""
        return self._atomic_spans.get("opaque") or self._keep("opaque", self._opaque(self.spans))

    def _keep(self, name: str, ranges: Iterable[tuple[int, int]]) -> AtomicRange:
        return self._atomic_spans.setdefault(name, AtomicRange(ranges))

    def free(self, at: int) -> bool:
        """Whether the character at a position may be touched."""
        # Few spans are checked directly: building the index costs more.
        spans = self.spans if self._spans is None else self._spans
        if len(spans) > MAX_LINEAR_SPANS:
            opaque = self.opaque
            return opaque.free(at + 1) and opaque.free(at)
        for mark, first, last in spans:
            if first <= at < last and any(start <= at for start, _ in self._opaque(((mark, first, last),))):
                return False
        return True

    def _opaque(self, spans: Iterable[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
        for mark, start, end in spans:
            if mark == SpanKind.LINK:
                yield self.text.find("](", start, end) + 1, end
            elif mark in _OPAQUE and not (mark == SpanKind.TAG and self.text.startswith(_EMOJI_TAG, start)):
                yield start, end


def is_quiet(edits: Sequence[tuple[int, int, str]], text: str) -> bool:
    """Return whether no edit of a text opens or closes a span."""
    for start, end, after in edits:
        if not (_QUIET_AFTER.fullmatch(after) and _QUIET_BEFORE.fullmatch(text, start, end)):
            return False
    return True


def move_spans(
    spans: Sequence[Span], edits: Sequence[tuple[int, int, str]], text: str, by: int = 0
) -> tuple[Span, ...] | None:
    """Return the spans of a text after edits, or None if an edit may open or close a span.

    Spans move with the text around them and by `by` characters. A span inside an edit is removed; a tag that an
    edit inserts is a span. Spans are in the order of their ends, edits in the order of their positions.
    """
    if not is_quiet(edits, text):
        return None
    moved: list[Span] = []
    starts, ends, shifts, shift = [], [], [by], by
    for start, end, after in edits:
        if after[:1] == "<":
            moved.append(to_span((SpanKind.TAG, start + shift, start + shift + len(after))))
        starts.append(start)
        ends.append(end)
        shift += len(after) - (end - start)
        shifts.append(shift)
    count, last = len(edits), 0  # all edits, and those that begin before a span ends
    for mark, start, end in spans:
        while last < count and starts[last] < end:
            last += 1
        first = last
        if last and ends[last - 1] > start:
            first = bisect_right(ends, start)
            if starts[first] <= start and ends[first] >= end:
                continue  # it lies in an edit
            if starts[first] < start or ends[last - 1] > end:
                return None
        moved.append(to_span((mark, start + shifts[first], end + shifts[last])))
    moved.sort(key=_end_of)
    return tuple(moved)


_end_of = itemgetter(2)
