"""Rule 1: a line of punctuation alone is not a message.

`...`, `?!` and longer runs are kept and put before the next segment; a single stop or comma is dropped. A line is
judged again after cleaning: of `:unknown:.` or `Luna: .` only the stop is left.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from ..language.punctuation import CARRIED, COLONS, ELLIPSES, EMPHATIC, LONE, class_of
from ..traced_text import TracedText

if TYPE_CHECKING:
    from collections.abc import Sequence

_RULE = "orphan punctuation"

_MARK = f"[{class_of(CARRIED)}…]"
_PUNCTUATION = re.compile(f"{_MARK}(?: ?{_MARK})*")  # also `. . .`
_MARKS_ALONE = re.compile(rf"[{class_of(LONE, COLONS, ELLIPSES, EMPHATIC)}\s]+")
# A line of which only markup is left: an empty quote, item, heading, quotation or pair of brackets.
_EMPTY_LINE = re.compile(
    rf"[ \t]*(?:>|#{{1,3}}|-#|[-*+•])?[ \t]*(?:\"\"|“”|„“|「」|『』|«»|\(\)|\[\])?[{class_of(LONE)}]?[ \t]*"
)
_FRAGMENTS = frozenset({".", ",", "..", ";", "。", "。。", "、", "，", ",,", ".,", ",."})


class OrphanKind(Enum):
    """How a segment of punctuation alone is treated."""

    KEPT = "kept and put before the next segment"
    FRAGMENT = "dropped, unless it is the whole answer"
    LEFTOVER = "dropped"


def classify_orphan(text: str) -> OrphanKind | None:
    """Return the kind of a segment that is punctuation alone, or None if it has words."""
    core = text.strip()
    if not _PUNCTUATION.fullmatch(core):
        return None
    core = core.replace(" ", "")
    # `...` and `?!` mean something; a lone stop is a leftover of the model's formatting.
    return OrphanKind.FRAGMENT if core in _FRAGMENTS else OrphanKind.KEPT


def classify_leftover(text: str, *, changed: bool) -> OrphanKind | None:
    """Return the kind of a cleaned segment that is punctuation alone, or None if it stays.

    Args:
        text: The text after the cleaning rules.
        changed: Whether a rule removed or replaced anything in it.

    """
    core = text.strip()
    if not core or not _MARKS_ALONE.fullmatch(core):
        is_empty = core and changed and all(map(_EMPTY_LINE.fullmatch, core.split("\n")))
        return OrphanKind.FRAGMENT if is_empty else None
    # A colon alone is no sentence: it is the rest of a label.
    if not COLONS.issuperset(core) and not changed:
        return None
    if classify_orphan(core) is OrphanKind.KEPT and (len(core) >= 3 or "…" in core):
        return OrphanKind.KEPT
    # `Luna: ?` may be a whole answer, `Luna: .` is none.
    return OrphanKind.FRAGMENT if EMPHATIC.intersection(core) else OrphanKind.LEFTOVER


class PendingPunctuation:
    """Lines of punctuation that wait for the next segment."""

    def __init__(self, place: str = "line") -> None:
        # What is between the lines and the text that they go before.
        self._separator = "\n" if place == "line" else ""
        # One entry per line.
        self._pieces: list[TracedText] = []
        # Characters in all lines together.
        self.length = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, traced: TracedText) -> None:
        """Append a line."""
        if self._pieces:
            self._pieces[-1] = _end(self._pieces[-1], "\n")
        self._pieces.append(traced)
        self.length += len(traced.text)

    def pop(self) -> TracedText:
        """Remove and return all lines."""
        pieces, self._pieces, self.length = self._pieces, [], 0
        return _join(pieces)

    def end_before(self, traced: TracedText) -> None:
        """End the last line as it has to end before this text: with a newline, or with nothing."""
        # Nothing may stand before a fence on its line.
        fenced = traced.text.lstrip().startswith("```")
        self._pieces[-1] = _end(self._pieces[-1], "\n" if fenced else self._separator)


def _end(traced: TracedText, white: str) -> TracedText:
    """Replace the white space at the end of a text."""
    end = len(traced.text.rstrip())
    if traced.text[end:] == white:
        return traced
    # The last mark is replaced with what follows it, so that the edit has a place in the source.
    return traced.replace(_RULE, [(end - 1, len(traced.text), traced.text[end - 1] + white)])


def _join(pieces: Sequence[TracedText]) -> TracedText:
    """Concatenate many texts at once; adding them one by one would take quadratic time."""
    text = "".join([piece.text for piece in pieces])
    return TracedText(text, tuple([run for piece in pieces for run in piece.runs]))
