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
_LAST = re.compile(r"\n[ \t]*(`{4,})\s*\Z")


def shorten_fences(text: str, *, opens: bool, closes: bool) -> list[Edit]:
    """Edits for a code block, or for a part of one that does not open or close it."""
    edits: list[Edit] = []
    last = _LAST.search(text, max(0, len(text) - 256)) if closes else None
    end = last.start(1) if last else -1
    for found in _RUN.finditer(text):
        outer = found.start() == end or (opens and not edits)
        edits.append((*found.span(), "```" if outer else "\u200b".join(found[0])))
    return edits
