"""Rule 1: punctuation alone on its line is no message.

An expressive run (`...`, `?!?!`, `…`) waits for the words which it stands before; a lone `.` or `,` is a
fragment.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from ..passage import Passage
from ..words.sentence_marks import CARRIED, class_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Held", "Orphan", "judge_orphan"]

RULE = "orphan punctuation"

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


class Held:
    """`add` lines of punctuation, `take` them together."""

    def __init__(self) -> None:
        self._pieces: list[Passage] = []
        self.length = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, passage: Passage) -> None:
        """One line more, right behind the one before."""
        if self._pieces:
            self._pieces[-1] = _end(self._pieces[-1], "")
        self._pieces.append(passage)
        self.length += len(passage.text)

    def take(self) -> Passage:
        """All of it, alone."""
        pieces, self._pieces, self.length = self._pieces, [], 0
        return _join(pieces)

    def take_before(self, passage: Passage) -> Passage:
        """All of it, on a line of its own before what follows."""
        self._pieces[-1] = _end(self._pieces[-1], "\n")
        return self.take() + passage


def _end(passage: Passage, white: str) -> Passage:
    """The passage with other white space at its end."""
    end = len(passage.text.rstrip())
    if passage.text[end:] == white:
        return passage
    # The last mark is replaced with what follows it, so that the edit has a place in the source.
    return passage.replace(RULE, [(end - 1, len(passage.text), passage.text[end - 1] + white)])


def _join(pieces: Sequence[Passage]) -> Passage:
    """Many passages at once: each sum of two would copy all that came before."""
    text = "".join([piece.text for piece in pieces])
    return Passage(text, tuple([run for piece in pieces for run in piece.runs]))
