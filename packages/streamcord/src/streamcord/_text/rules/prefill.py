"""Rule 6: show the prefill once and remove it where the model repeats it.

The prefill is the opening of the answer that the caller gave to the model. The repetition may arrive in
several segments. They are held back, never longer than the prefill is; if they turn out to be something else
they are emitted unchanged.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..traced_text import NormalizedSegment, TracedText

if TYPE_CHECKING:
    from collections.abc import Sequence


class Match(Enum):
    """How a text relates to the prefill."""

    NONE = "it is something else"
    PART = "it may become the prefill"
    WHOLE = "it begins with what was left of the prefill"


class PrefillMatcher:
    """Compare the start of the answer with the prefill, over several segments."""

    def __init__(self, prefill: str) -> None:
        # The prefill as it is shown.
        self.text = prefill
        # The part of the prefill that the model has not repeated yet.
        self._left = prefill.lstrip()
        # Whether an earlier segment already repeated the first part.
        self._begun = False

    def match(self, text: str) -> tuple[Match, int]:
        """Return how the next text continues the echo, and how many of its characters belong to the echo."""
        # White space before the first repeated word is part of the echo.
        start = 0 if self._begun else len(text) - len(text.lstrip())
        repeated = text[start:]
        if repeated.startswith(self._left):
            return Match.WHOLE, start + len(self._left)
        # The model may leave out white space at the end of the prefill.
        if self._left.rstrip() == repeated.rstrip():
            return Match.WHOLE, len(text)
        if not self._left.startswith(repeated):
            return Match.NONE, 0
        self._left, self._begun = self._left[len(repeated) :], True
        return Match.PART, len(text)


class PrefillStripper:
    """Put the prefill before the first segment and remove its repetition.

    False in a boolean context if there is no prefill or it was shown already.
    """

    def __init__(self, prefill: str) -> None:
        # None once the prefill was shown.
        self._matcher = PrefillMatcher(prefill) if prefill.strip() else None
        # Segments that may turn out to be the repeated prefill.
        self._echoed: list[NormalizedSegment] = []

    def __bool__(self) -> bool:
        return self._matcher is not None

    def feed(self, segment: NormalizedSegment) -> list[NormalizedSegment]:
        """Take the next segment and return the segments that are ready."""
        if self._matcher is None:
            return [segment]
        # A table cannot be part of the prefill, so the comparison ends here.
        if segment.figure:
            empty = NormalizedSegment(TracedText("", ()), segment.boundary, segment.speaker)
            return self._show([*(self._echoed or [empty]), segment])
        match, end = self._matcher.match(segment.traced.text)
        if match is Match.PART:
            self._echoed.append(segment)
            return []
        if match is Match.NONE:
            return self._show([*self._echoed, segment])
        return self._show([*map(_without, self._echoed), _without(segment, end)])

    def flush(self) -> list[NormalizedSegment]:
        """Return the held segments at the end of the text; a partly repeated prefill is not shown twice."""
        return self._show([*map(_without, self._echoed)]) if self._echoed else []

    def _show(self, echoed: Sequence[NormalizedSegment]) -> list[NormalizedSegment]:
        """Put the prefill before the first segment, which may consist of its repetition alone."""
        assert self._matcher
        shown = TracedText.added(self._matcher.text, "prefill")
        self._matcher, self._echoed = None, []
        first = 0
        while first + 1 < len(echoed) and not echoed[first].traced.text and not echoed[first + 1].figure:
            shown, first = shown + echoed[first].traced, first + 1
        head = echoed[first]
        return [
            NormalizedSegment(shown + head.traced, head.boundary, head.speaker),
            *echoed[first + 1 :],
        ]


def _without(segment: NormalizedSegment, end: int | None = None) -> NormalizedSegment:
    """Remove the first `end` characters of a segment, or all of them."""
    whole = segment.traced
    traced = whole.replace("prefill", [(0, len(whole.text) if end is None else end, "")])
    return NormalizedSegment(traced, segment.boundary, segment.speaker)
