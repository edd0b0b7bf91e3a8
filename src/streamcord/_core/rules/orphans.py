"""Rule 1: punctuation alone on its line is no message.

An expressive run (`...`, `?!?!`, `…`) is held and put before what follows; a lone `.` or `,` is a fragment.
"""

from __future__ import annotations

import re
from enum import Enum

from ..markup.sentence_marks import CARRIED, class_of

__all__ = ["Orphan", "judge_orphan"]

_PUNCTUATION = re.compile(f"[{class_of(CARRIED)}…]+")
_FRAGMENTS = frozenset({".", ",", "..", ";", "。", "、", "，", ",,", ".,", ",."})


class Orphan(Enum):
    """What to do with a segment."""

    NONE = "it says something"
    HELD = "it belongs before what follows"
    FRAGMENT = "it is left over"


def judge_orphan(text: str) -> Orphan:
    """Whether a segment is punctuation alone, and of which sort."""
    core = text.strip()
    if not _PUNCTUATION.fullmatch(core):
        return Orphan.NONE
    if len(core) >= 3 or "…" in core:
        return Orphan.HELD
    return Orphan.FRAGMENT if core in _FRAGMENTS else Orphan.NONE
