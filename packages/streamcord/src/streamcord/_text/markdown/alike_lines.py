"""Recognize lines that are written alike, so that they are read as one piece although no marker leads them.

Models write schedules, logs, steps, sums, boards and drawings as bare lines. A line stays with the next one if both
are of the same kind.
"""

from __future__ import annotations

import re
from enum import Enum

from ..language.punctuation import ENDS, class_of

MAX_ALIKE_CHARS = 160
"""A longer line is a paragraph."""

TREE_STROKES = frozenset("├└│┌╔╠╚╭╰")
"""Strokes that lead the lines of a tree or a frame: what is above them is its root or title."""

_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,6})?(?:[ ]?[AaPp]\.?[Mm]\b\.?)?"
_DATE = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
_TIMED = re.compile(
    rf"[\[(]?(?:(?:{_DATE})(?:[T ,]{{1,2}}{_CLOCK})?|{_CLOCK})(?:Z\b)?[\])]?(?:[ \t:,–—-])[^\n]*"
)
_STEP = re.compile(r"[^\W\d_]{2,12} (?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:[:.)]| [–—-])[ \t][^\n]*")
_MARK = r"(?:[-+]?\d{1,4}(?:[.,]\d{1,4})?|[A-Z]|[^\w\s`])"
_GRID = re.compile(rf"{_MARK}(?:[ \t]{{1,8}}{_MARK}){{2,32}}")
_SUM = re.compile(r"[^\n=]{0,60}[^\s=:!<>][ \t]*[=≈][ \t]*[^\s=][^\n]{0,80}")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_SOME_WORD = re.compile(r"[^\W\d_]{3,}")
_STROKE = re.compile(r"[/\\|_()<>]")
_ROUND = frozenset("oO0")  # eyes and wheels
_EMPHASIS = re.compile(r"[*_~|]{1,3}\S[^\n]*\S[*_~|]{1,3}")
_SENTENCE_END = re.compile(rf"[{class_of(ENDS)}][\"')\]]*\Z")


class AlikeKind(Enum):
    """What lines may have in common."""

    NONE = "nothing"
    TIMED = "a date or a time leads the line"
    STEP = "a word and a number lead the line: `Step 1:`"
    SUM = "a line of a calculation"
    GRID = "numbers or signs with spaces between them"
    DRAWING = "strokes of a picture made of characters"


def alike_kind(line: str, *, strict: bool = False) -> AlikeKind:  # noqa: PLR0911
    """Return the kind of a line; if `strict`, only of those whose parts mean nothing alone."""
    words = line.strip()
    if not words or len(line) > MAX_ALIKE_CHARS:
        return AlikeKind.NONE
    if _is_drawing(words, indented=line[0] in " \t"):
        return AlikeKind.DRAWING
    if _GRID.fullmatch(words):
        return AlikeKind.GRID
    if strict:
        return AlikeKind.NONE
    if _TIMED.fullmatch(words):
        return AlikeKind.TIMED
    if _STEP.fullmatch(words):
        return AlikeKind.STEP
    if _SUM.fullmatch(words) and not _LONG_WORD.search(words) and not _SENTENCE_END.search(words):
        return AlikeKind.SUM
    return AlikeKind.NONE


def are_alike(above: str, below: str, *, strict: bool = False) -> bool:
    """Return whether two lines are of the same kind; steps begin with the same word."""
    kind = alike_kind(above, strict=strict)
    if kind is AlikeKind.NONE or alike_kind(below, strict=strict) is not kind:
        return False
    return (
        kind is not AlikeKind.STEP or above.split(maxsplit=1)[0].lower() == below.split(maxsplit=1)[0].lower()
    )


def _is_drawing(words: str, *, indented: bool) -> bool:
    """Return whether a line is mostly strokes and has no words, nor only an emoticon or emphasis."""
    if not _STROKE.search(words) or _SOME_WORD.search(words) or _EMPHASIS.fullmatch(words):
        return False
    signs = sum(one in _ROUND or (one.isascii() and not one.isalnum() and not one.isspace()) for one in words)
    shown = sum(not one.isspace() for one in words)
    return 3 * signs >= 2 * shown and (indented or len(words) > 5 or " " in words)
