"""Repair characters that Discord cannot show, before any other stage reads the text.

Carriage returns become newlines, halves of surrogate pairs are joined (JSON escapes may arrive cut in two) or
replaced, control characters go. Escape stays: code blocks of the kind `ansi` are coloured by it.
Later, `as_standalone_markdown` puts the records of repairs into each segment and adds what makes it render alone:
opening and closing markers, and fences as Discord reads them (`discord_fences.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from .._events import Boundary, Replaced
from .discord_fences import FENCE, ends_in_empty_block, find_fence_edits
from .traced_text import TracedText

if TYPE_CHECKING:
    from .._events import Segment
    from .markdown.delimiters import Span
    from .traced_text import Run

RULE = "repair"

ODD = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f\ud800-\udfff]")
"""Characters that need repair; text without them passes as it is."""


class Sanitizer:
    """Turn text into clean pieces with their source positions."""

    def __init__(self) -> None:
        self._pending = ""  # a carriage return or half a pair, until the next character is known
        self.repairs: list[Replaced] = []  # what was replaced; the pipeline removes them with their segment

    def feed(self, text: str, start: int) -> list[tuple[str, int]]:
        """Return clean pieces of the text at `start`, each with the source position of its first character."""
        text, start = self._pending + text, start - len(self._pending)
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            self._pending, text = text[-1], text[:-1]
        else:
            self._pending = ""
        return self._clean(text, start)

    def flush(self, end: int) -> list[tuple[str, int]]:
        """Return the pending character, as nothing follows it."""
        text, self._pending = self._pending, ""
        return self._clean(text, end - len(text))

    def _clean(self, text: str, start: int) -> list[tuple[str, int]]:
        pieces: list[tuple[str, int]] = []
        at = 0
        while found := ODD.search(text, at):
            odd = found.start()
            if odd > at:
                pieces.append((text[at:odd], start + at))
            before, after = _repair(text, odd)
            self.repairs.append(Replaced(RULE, before, after, ((start + odd, start + odd + len(before)),)))
            if after:
                pieces.append((after, start + odd))
            at = odd + len(before)
        if at < len(text):
            pieces.append((text[at:], start + at))
        return pieces


def _repair(text: str, at: int) -> tuple[str, str]:
    """Return the characters at a position that need repair, and their replacement."""
    odd = text[at]
    after = text[at + 1 : at + 2]
    # `\r\n` becomes one newline.
    if odd == "\r":
        return odd, "" if after == "\n" else "\n"
    if "\ud800" <= odd <= "\udbff" and "\udc00" <= after <= "\udfff":
        pair = odd + after
        return pair, pair.encode("utf-16", "surrogatepass").decode("utf-16")
    return odd, "\ufffd" if "\ud800" <= odd <= "\udfff" else ""


# --- Segments ----------------------------------------------------------------------------------------


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
