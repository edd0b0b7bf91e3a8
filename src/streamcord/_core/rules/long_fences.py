"""Code blocks as Discord reads them: fences of three backticks, and nothing inside that would close them.

Tildes and longer runs become three backticks; backticks inside are kept apart by zero-width spaces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..passage import Edit

__all__ = ["shorten_fences"]

_RUN = re.compile(r"`{3,}")
_FIRST = re.compile(r"\s*(`{3,}|~{3,})")
_LAST = re.compile(r"(?<!`)(`{3,}|~{3,})\s*\Z")
FENCE = "```"


def shorten_fences(text: str, *, opens: bool, closes: bool) -> list[Edit]:
    """Edits for a code block, or for a part of one that does not open or close it."""
    first = _FIRST.match(text) if opens else None
    last = _LAST.search(text, max(first.end() if first else 0, len(text) - 256)) if closes else None
    start, end = first.end() if first else 0, last.start(1) if last else len(text)
    edits: list[Edit] = [(*first.span(1), FENCE)] if first and first[1] != FENCE else []
    edits += [(*found.span(), "\u200b".join(found[0])) for found in _RUN.finditer(text, start, end)]
    return edits + ([(*last.span(1), FENCE)] if last and last[1] != FENCE else [])
