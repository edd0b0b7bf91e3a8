"""Make a segment text that renders alone: opening and closing markers, and fences as Discord reads them.

The records of repaired characters (`sanitize.py`) are put into the segment here, at their positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .._events import Boundary, Replaced
from .discord_fences import FENCE, ends_in_empty_block, find_fence_edits
from .traced_text import TracedText

if TYPE_CHECKING:
    from .._events import Segment
    from .markdown.delimiter_stack import Span
    from .traced_text import Run


def as_standalone_markdown(segment: Segment, repairs: list[Replaced], *, tables: bool = True) -> TracedText:
    """Return a segment as text that renders alone: with repairs, opening and closing markers, and table header."""
    atomic_spans = cast("tuple[Span, ...]", segment.atomic_spans)
    traced = (
        _repaired(segment, repairs)
        if repairs
        else TracedText.from_spans(segment.text, segment.spans, atomic_spans)
    )
    if "```" in segment.text or "~~~" in segment.text or segment.suffix == FENCE:
        edits = find_fence_edits(segment)
        traced = traced.replace("fence", edits) if edits else traced
    if segment.head and tables:
        traced = TracedText.added(segment.head, "header") + traced
    if segment.prefix:
        traced = TracedText.added(segment.prefix, "reopened") + traced
    # A closing fence that the model forgot is put in the text, where more text may follow.
    closed = segment.suffix == FENCE and segment.boundary is Boundary.CODE_CLOSE
    suffix = "" if closed else segment.suffix
    if FENCE in suffix and ends_in_empty_block(segment):
        suffix = suffix.partition(FENCE)[2]  # what closes a spoiler around the block
    if suffix:
        # In code the closing fence goes after the white space, elsewhere the marker must touch the last word.
        body = len(traced.text) if segment.ticks else len(traced.text.rstrip())
        traced = traced.cut(0, body) + TracedText.added(suffix, "closed") + traced.cut(body, len(traced.text))
    return traced


def _repaired(segment: Segment, repairs: list[Replaced]) -> TracedText:
    """Return the segment's text with the records of repaired characters at their positions."""
    runs: list[Run] = []
    waiting = list(repairs)
    for start, end in segment.spans:
        at = start
        while waiting and waiting[0].spans[0][0] < end:
            repair = waiting.pop(0)
            odd = max(at, repair.spans[0][0])
            shown = len(repair.after)
            runs += [(odd - at, at, None), (shown, None, repair)]
            at = odd + shown
        runs.append((end - at, at, None))
    runs += [(0, None, repair) for repair in waiting]
    return TracedText(segment.text, tuple(run for run in runs if run[0] or run[2]))
