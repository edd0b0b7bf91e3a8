"""Takes words out of a text and tidies the spaces beside them, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup.sentence_marks import LONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..passage import Edit

__all__ = ["remove"]

_WHITE = " \t"
_BEFORE = LONE | frozenset("\n)]}…")


def remove(text: str, ranges: Iterable[tuple[int, int]]) -> list[Edit]:
    """Edits that remove ranges, in order; indentation and newlines stay."""
    edits: list[Edit] = []
    floor, fresh = 0, True
    for start, end in ranges:
        left, right = start, end
        while left > floor and text[left - 1] in _WHITE:
            left -= 1
        while right < len(text) and text[right] in _WHITE:
            right += 1
        fresh = (left == floor and fresh) or text[left - 1 : left] == "\n"
        if fresh:
            edits.append((start, right, ""))
        elif right > end or right == len(text) or text[right] in _BEFORE:
            edits.append((left, end, ""))
        else:
            edits.append((start, end, ""))
        floor = edits[-1][1]
    return edits
