"""How many columns a text takes where every letter is as wide as the next, as in a code block.

East Asian letters and emoji take two (https://www.unicode.org/reports/tr11/). The ranges are those of Unicode
16.0, written out for the same reason as in `graphemes.py`, with unassigned gaps closed.
"""

from __future__ import annotations

from bisect import bisect_right

from .graphemes import is_boundary

__all__ = ["display_width"]

_WIDE = """
    1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f 268a-268f
    2693 26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b 2728 274c
    274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-303e 3041-33ff 3400-4dbf 4dc0-a4cf
    a960-a97f ac00-d7a3 f900-faff fe10-fe19 fe30-fe6f ff01-ff60 ffe0-ffe6 16fe0-18dff 1aff0-1b2ff 1d300-1d376
    1f004 1f0cf 1f18e 1f191-1f19a 1f1e6-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3
    1f3e0-1f3f0 1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc 1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596
    1f5a4 1f5fb-1f64f 1f680-1f6c5 1f6cc 1f6d0-1f6d2 1f6d5-1f6df 1f6eb-1f6ec 1f6f4-1f6ff 1f7e0-1f7f0
    1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1faff 20000-3fffd
"""
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_AS_PICTURE = "\ufe0f"

_ROWS = [
    (int(first, 16), int(last or first, 16))
    for first, _, last in (piece.partition("-") for piece in _WIDE.split())
]
_FIRSTS = [first for first, _ in _ROWS]


def display_width(text: str) -> int:
    """The columns that a line of text takes."""
    if text.isascii():
        return len(text)
    width = 0
    start = 0
    for at in range(1, len(text) + 1):
        if is_boundary(text, at):
            width += _cluster_width(text[start:at])
            start = at
    return width


def _cluster_width(cluster: str) -> int:
    """One visible character: as wide as its first letter, unless it is shown as a picture."""
    if cluster[0] in _INVISIBLE:
        return 0
    return 2 if _AS_PICTURE in cluster or _is_wide(ord(cluster[0])) else 1


def _is_wide(code: int) -> bool:
    index = bisect_right(_FIRSTS, code) - 1
    return index >= 0 and code <= _ROWS[index][1]
