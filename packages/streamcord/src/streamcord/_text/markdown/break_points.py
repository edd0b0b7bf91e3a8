"""Choose cuts in text that has no ordinary break point where one is needed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ..language.graphemes import grapheme_start
from ..language.punctuation import (
    COLONS,
    COMMAS,
    ENDS,
    SEMICOLONS,
    UNAMBIGUOUS_CLOSERS,
    WIDE_COMMAS,
    class_of,
)
from ..language.sentences import find_sentence_end
from .line_kinds import skip_white

_ENDS = re.compile(f"[{class_of(ENDS)}]+")
_NEWLINE = re.compile("\n")
# What begins no line: marks that close or end, small kana, and signs that repeat or lengthen.
_NOT_FIRST = (
    ENDS
    | COMMAS
    | SEMICOLONS
    | COLONS
    | UNAMBIGUOUS_CLOSERS
    | frozenset("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶー々ゝゞヽヾ〜～・％℃%")
)
_NOT_LAST = frozenset(
    "([{「『【〔〖《〈（［｛“‘«‹„¿¡$＄￥¥#＃@เแโใไ"
)  # brackets, and vowels of Thai that stand before
_REACH = 24
SPACES: Final = re.compile(rf"[ \t]+|[{class_of(WIDE_COMMAS)}；](?![{class_of(_NOT_FIRST)}\s])")
"""White space, and full-width punctuation, which includes its space."""


class AtomicRange:
    """Positions that are inside ranges which must not be cut."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        starts: list[int] = []
        ends: list[int] = []
        last = -1
        for start, end in sorted(spans):
            # A span may begin in forgotten text, so starts may be negative.
            if not ends or start >= last:
                starts.append(start)
                ends.append(end)
                last = end
            elif end > last:
                ends[-1] = last = end
        self._starts, self._ends = starts, ends

    def around(self, at: int) -> tuple[int, int] | None:
        """Return the range that a cut at this position would break, or None."""
        index = bisect_left(self._starts, at) - 1
        if index >= 0 and at < self._ends[index]:
            return self._starts[index], self._ends[index]
        return None

    def free(self, at: int) -> bool:
        """Return whether a cut here breaks nothing."""
        index = bisect_left(self._starts, at) - 1
        return index < 0 or at >= self._ends[index]


def sentence_cuts(text: str, start: int, end: int, *, final: bool = False) -> list[int]:
    """Return the positions after sentences whose end mark is in a range."""
    cuts = []
    for found in _ENDS.finditer(text, start, end):
        # The range may start inside a run of end marks such as `...`: only the start of a run counts.
        if found.start() and text[found.start() - 1] in ENDS:
            continue
        cut = find_sentence_end(text, found.start(), final=final)
        if cut > 0:
            cuts.append(cut)
    return cuts


def find_overflow(text: str, start: int, target: int, back: int, forward: int, whole: AtomicRange) -> int:
    """Return where to cut a long line of prose: near the target, at the best position of its window.

    Text after the window is not read, so that the result does not depend on how much has arrived.
    """
    aim, low, high = start + target, start + target - back, start + target + forward
    # Sentences are judged as if the text ended here, so that later text cannot change the choice.
    window = text[:high]
    ends = [cut for cut in sentence_cuts(window, low, high) if low <= cut <= high and whole.free(cut)]
    ends += [found + 1 for found in _newlines(window, low, high) if whole.free(found + 1)]
    spaces = [m.end() for m in SPACES.finditer(window, low, high) if m.end() < high and whole.free(m.end())]
    return (
        min((cut for cut in ends if cut >= aim), default=0)
        or max((cut for cut in ends if cut < aim), default=0)
        or max((cut for cut in spaces if cut <= aim), default=0)
        or min((cut for cut in spaces if cut > aim), default=0)
        or _hard_cut(text, start, aim, whole)
    )


def _newlines(text: str, start: int, end: int) -> list[int]:
    return [found.start() for found in _NEWLINE.finditer(text, max(0, start - 1), end)]


def _hard_cut(text: str, start: int, aim: int, whole: AtomicRange) -> int:
    """Return a cut where there is no good one: before or after a span, or between two graphemes."""
    # A span that begins with the segment cannot be left to the next one: cut after it.
    inside = whole.around(aim)
    if inside is not None:
        return inside[0] if inside[0] > start else inside[1]
    cut = grapheme_start(text, aim)
    return adjust_unspaced_cut(text, cut, start, whole.free) if cut > start else aim


def adjust_unspaced_cut(text: str, cut: int, start: int, free: Callable[[int], bool]) -> int:
    """Move a cut back to where a line may end in a script without spaces; return the cut if there is none.

    No line begins with a closing or ending mark there, and no word of other letters is broken. In Japanese a word
    usually begins after Hiragana and ends with it.
    """
    places = [
        place
        for at in range(cut, max(start, cut - _REACH), -1)
        if _may_end(text[at - 1], text[at]) and (place := grapheme_start(text, at)) > start and free(place)
    ]
    words = (at for at in places if "ぁ" <= text[at - 1] <= "ん" and not "ぁ" <= text[at] <= "ん")
    return next(words, places[0] if places else cut)


def _may_end(before: str, after: str) -> bool:
    """Return whether a line may end between two characters of which one is from a script without spaces."""
    if not (is_wide(before) or is_wide(after)) or before.isspace() or after.isspace():
        return False
    return after not in _NOT_FIRST and before not in _NOT_LAST


def is_wide(character: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    return character >= "\u2e80" or "\u0e00" <= character <= "\u0eff" or "\u1000" <= character <= "\u109f"


def complete_until(
    text: str, start: int, spans: Sequence[tuple[int, int]], blocks: Sequence[int] = ()
) -> int:
    """Return the end of the last complete clause: a sentence, a line or a block, outside of spans.

    Returns the length of the text if it has no complete clause, or no incomplete one.
    """
    end = len(text.rstrip())
    whole = AtomicRange(spans)
    # A code block that has ended is complete, whatever follows it.
    cuts = [skip_white(text, block) for block in blocks if block > start]
    cuts += [cut for cut in sentence_cuts(text, start, end, final=True) if whole.free(cut)]
    if max(cuts, default=0) >= end:
        return len(text)
    newlines = (found.end() for found in re.finditer("\n", text[start:end]))
    cuts += [start + found for found in newlines if whole.free(start + found)]
    return max(cuts, default=len(text))
