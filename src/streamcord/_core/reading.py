"""A text with its markup, which is looked for once and only if somebody asks."""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

from .markup.openers import Mark, Span, to_span
from .markup.places import Whole
from .markup.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .._settings import Segmenting
    from .passage import Passage

__all__ = ["FEW", "Reading", "is_quiet", "move_spans"]

_TAG = re.compile(r"<(?:@[!&]?\d+|a?:\w+:\d+)>")
_QUIET = re.compile(r"[^*_~|`\"<>\[\]()\n\\/'（）「」『』｢｣【】〈〉《》«»‹›“”„]*")
_QUIET_BEFORE = re.compile(rf"[ \t]?(?:{_TAG.pattern}|:\w+:|@\w+|{_QUIET.pattern})[ \t]?")
_QUIET_AFTER = re.compile(f"{_TAG.pattern}|{_QUIET.pattern}")
_CODE = frozenset({Mark.FENCE, Mark.CODE})
_OPAQUE = frozenset({Mark.FENCE, Mark.CODE, Mark.URL, Mark.TAG, Mark.FORMULA})
FEW = 8
"""Up to so many spans are looked through one by one."""
_EMOJI_TAG = ("<:", "<a:")


class Reading:
    """What the rules ask about a text: what is code, a URL, a tag, inside of something else."""

    __slots__ = ("_passage", "_settings", "_spans", "_wholes", "text")

    def __init__(self, text: str, settings: Segmenting, passage: Passage | None = None) -> None:
        self.text = text
        self._settings = settings
        self._passage = passage
        self._spans: Sequence[Span] | None = None
        self._wholes: dict[str, Whole] = {}

    @property
    def spans(self) -> Sequence[Span]:
        """Everything that must stay whole; a passage of this text may know it already."""
        if self._spans is None:
            known = self._passage.wholes if self._passage else None
            self._spans = scan(self.text, self._settings) if known is None else known
        return self._spans

    @property
    def code(self) -> Whole:
        """Code, inline or fenced."""
        return self._wholes.get("code") or self._keep(
            "code", ((span.start, span.end) for span in self.spans if span.mark in _CODE)
        )

    @property
    def whole(self) -> Whole:
        """Whatever must stay whole."""
        return self._wholes.get("whole") or self._keep(
            "whole", ((span.start, span.end) for span in self.spans)
        )

    @property
    def opaque(self) -> Whole:
        """What no rule touches: code, formulas, URLs, targets of links, tags, but for custom emoji."""
        return self._wholes.get("opaque") or self._keep("opaque", self._opaque(self.spans))

    def _keep(self, name: str, ranges: Iterable[tuple[int, int]]) -> Whole:
        return self._wholes.setdefault(name, Whole(ranges))

    def free(self, at: int) -> bool:
        """Whether the character at a position may be touched."""
        spans = self.spans if self._spans is None else self._spans
        if len(spans) > FEW:
            opaque = self.opaque
            return opaque.free(at + 1) and opaque.free(at)
        for mark, first, last in spans:
            if first <= at < last and any(start <= at for start, _ in self._opaque(((mark, first, last),))):
                return False
        return True

    def _opaque(self, spans: Iterable[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
        for mark, start, end in spans:
            if mark == Mark.LINK:
                yield self.text.find("](", start, end) + 1, end
            elif mark in _OPAQUE and not (mark == Mark.TAG and self.text.startswith(_EMOJI_TAG, start)):
                yield start, end


def is_quiet(edits: Sequence[tuple[int, int, str]], text: str) -> bool:
    """Whether no edit of a text opens or closes anything."""
    for start, end, after in edits:
        if not (_QUIET_AFTER.fullmatch(after) and _QUIET_BEFORE.fullmatch(text, start, end)):
            return False
    return True


def move_spans(
    spans: Sequence[Span], edits: Sequence[tuple[int, int, str]], text: str, by: int = 0
) -> tuple[Span, ...] | None:
    """The spans of a text behind edits of it, if no edit opens or closes anything; else None.

    Spans move with the text around them, what lies in an edit goes, and a tag that is put in is one. All of
    them move `by` so much besides. Spans stand in the order of their ends, as edits do.
    """
    if not is_quiet(edits, text):
        return None
    moved: list[Span] = []
    starts, ends, shifts, shift = [], [], [by], by
    for start, end, after in edits:
        if after[:1] == "<":
            moved.append(to_span((Mark.TAG, start + shift, start + shift + len(after))))
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
