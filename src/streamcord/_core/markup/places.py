"""Good places to cut a text that has no ordinary boundary where one is needed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ..words.graphemes import grapheme_start
from ..words.sentence_marks import ENDS, class_of
from ..words.sentences import judge_end
from .line_kinds import skip_white

__all__ = ["Whole", "complete_until", "find_overflow", "sentence_cuts"]

_ENDS = re.compile(f"[{class_of(ENDS)}]+")
_SPACES = re.compile(r"[ \t\n]+")
_NEWLINE = re.compile("\n")


class Whole:
    """Which positions lie inside something that must stay whole."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        starts: list[int] = []
        ends: list[int] = []
        last = -1
        for start, end in sorted(spans):
            # What was let go of may have begun before the text that is left.
            if not ends or start >= last:
                starts.append(start)
                ends.append(end)
                last = end
            elif end > last:
                ends[-1] = last = end
        self._starts, self._ends = starts, ends

    def around(self, at: int) -> tuple[int, int] | None:
        """The whole thing that a cut at this position would break."""
        index = bisect_left(self._starts, at) - 1
        if index >= 0 and at < self._ends[index]:
            return self._starts[index], self._ends[index]
        return None

    def free(self, at: int) -> bool:
        """Whether a cut here breaks nothing."""
        index = bisect_left(self._starts, at) - 1
        return index < 0 or at >= self._ends[index]


def sentence_cuts(text: str, start: int, end: int, *, final: bool = False) -> list[int]:
    """The positions behind sentence ends whose mark stands in a range."""
    cuts = []
    for found in _ENDS.finditer(text, start, end):
        if found.start() and text[found.start() - 1] in ENDS:
            continue
        cut = judge_end(text, found.start(), final=final)
        if cut > 0:
            cuts.append(cut)
    return cuts


def find_overflow(text: str, start: int, target: int, back: int, forward: int, whole: Whole) -> int:
    """Where to cut prose that goes on and on: near the target, at the best place of its window.

    Nothing behind the window is looked at, so that the choice is the same however much has arrived.
    """
    aim, low, high = start + target, start + target - back, start + target + forward
    window = text[:high]
    ends = [cut for cut in sentence_cuts(window, low, high) if low <= cut <= high and whole.free(cut)]
    ends += [found + 1 for found in _newlines(window, low, high) if whole.free(found + 1)]
    spaces = [m.end() for m in _SPACES.finditer(window, low, high) if m.end() < high and whole.free(m.end())]
    return (
        min((cut for cut in ends if cut >= aim), default=0)
        or max((cut for cut in ends if cut < aim), default=0)
        or max((cut for cut in spaces if cut <= aim), default=0)
        or min((cut for cut in spaces if cut > aim), default=0)
        or _hard_cut(text, start, aim, whole)
    )


def _newlines(text: str, start: int, end: int) -> list[int]:
    return [found.start() for found in _NEWLINE.finditer(text, max(0, start - 1), end)]


def _hard_cut(text: str, start: int, aim: int, whole: Whole) -> int:
    """No good place: before what must stay whole, or behind it, or between two graphemes."""
    inside = whole.around(aim)
    if inside is not None:
        return inside[0] if inside[0] > start else inside[1]
    cut = grapheme_start(text, aim)
    return cut if cut > start else aim


def complete_until(
    text: str, start: int, spans: Sequence[tuple[int, int]], blocks: Sequence[int] = ()
) -> int:
    """The end of the last complete clause: a sentence, a line or a block, outside of what must stay whole.

    Everything is kept if there is none, or if nothing is incomplete.
    """
    end = len(text.rstrip())
    whole = Whole(spans)
    cuts = [skip_white(text, block) for block in blocks if block > start]
    cuts += [cut for cut in sentence_cuts(text, start, end, final=True) if whole.free(cut)]
    if max(cuts, default=0) >= end:
        return len(text)
    newlines = (found.end() for found in re.finditer("\n", text[start:end]))
    cuts += [start + found for found in newlines if whole.free(start + found)]
    return max(cuts, default=len(text))
