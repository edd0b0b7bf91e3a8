"""A text with its markup, which is looked for once and only if somebody asks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from .markup.openers import Mark, Span
from .markup.places import Whole
from .markup.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._settings import Segmenting

__all__ = ["Reading", "move_spans"]

_TAG = re.compile(r"<(?:@[!&]?\d+|a?:\w+:\d+)>")
_QUIET = re.compile(r"[^*_~|`\"<>\[\]()\n\\/'（）「」『』｢｣【】〈〉《》«»‹›“”„]*")
_QUIET_BEFORE = re.compile(rf"[ \t]?(?:{_TAG.pattern}|:\w+:|@\w+|{_QUIET.pattern})[ \t]?")
_CODE = frozenset({Mark.FENCE, Mark.CODE})
_OPAQUE = frozenset({Mark.FENCE, Mark.CODE, Mark.URL, Mark.TAG, Mark.FORMULA})
_EMOJI_TAG = ("<:", "<a:")


class Reading:
    """What the rules ask about a text: what is code, a URL, a tag, inside of something else."""

    def __init__(self, text: str, settings: Segmenting, spans: Sequence[Span] | None = None) -> None:
        self.text = text
        self._settings = settings
        self._spans = spans

    @cached_property
    def spans(self) -> list[Span]:
        """Everything that must stay whole; whoever has found it already gives it along."""
        return scan(self.text, self._settings) if self._spans is None else list(self._spans)

    @cached_property
    def code(self) -> Whole:
        """Code, inline or fenced."""
        return Whole((span.start, span.end) for span in self.spans if span.mark in _CODE)

    @cached_property
    def whole(self) -> Whole:
        """Whatever must stay whole."""
        return Whole((span.start, span.end) for span in self.spans)

    @cached_property
    def opaque(self) -> Whole:
        """What no rule touches: code, formulas, URLs, targets of links, tags, but for custom emoji."""
        return Whole(self._opaque())

    def free(self, at: int) -> bool:
        """Whether the character at a position may be touched."""
        return self.opaque.free(at + 1) and self.opaque.free(at)

    def _opaque(self) -> Iterator[tuple[int, int]]:
        for span in self.spans:
            if span.mark == Mark.LINK:
                yield self.text.find("](", span.start, span.end) + 1, span.end
            elif span.mark in _OPAQUE and not (
                span.mark == Mark.TAG and self.text.startswith(_EMOJI_TAG, span.start)
            ):
                yield span.start, span.end


def move_spans(
    spans: Sequence[Span], edits: Sequence[tuple[int, int, str]], text: str
) -> tuple[Span, ...] | None:
    """The spans of a text behind edits of it, if no edit opens or closes anything; else None.

    Spans move with the text around them, what lies in an edit goes, and a tag that is put in is one.
    """
    moved: list[Span] = []
    starts, ends, shifts, shift = [], [], [0], 0
    for start, end, after in edits:
        tag = _TAG.fullmatch(after)
        if not (tag or _QUIET.fullmatch(after)) or not _QUIET_BEFORE.fullmatch(text, start, end):
            return None
        if tag:
            moved.append(Span(Mark.TAG, start + shift, start + shift + len(after)))
        starts.append(start)
        ends.append(end)
        shift += len(after) - (end - start)
        shifts.append(shift)
    for mark, start, end in spans:
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        if first < last and starts[first] <= start and ends[first] >= end:
            continue  # it lies in an edit
        if first < last and (starts[first] < start or ends[last - 1] > end):
            return None
        moved.append(Span(mark, start + shifts[first], end + shifts[last]))
    moved.sort(key=_end_of)
    return tuple(moved)


def _end_of(span: Span) -> int:
    return span.end
