"""Fences of four and more backticks, which Discord does not know, become fences of three.

Backticks inside are kept apart by zero-width spaces, so that none of them closes the block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..passage import Edit

__all__ = ["shorten_fences"]

_RUN = re.compile(r"`{3,}")
_LAST = re.compile(r"`{4,}[ \t\n]*\Z")


def shorten_fences(text: str, ticks: int, *, opens: bool) -> list[Edit]:
    """Edits for a code block (or a part of one) that was opened by `ticks` backticks."""
    edits: list[Edit] = []
    last = _LAST.search(text, max(0, len(text) - 128))
    for found in _RUN.finditer(text):
        start, end = found.span()
        outer = (opens and not edits) or (last and start == last.start() and end - start >= ticks)
        after = "```" if outer else "\u200b".join(found[0])
        edits.append((start, end, after))
    return edits
