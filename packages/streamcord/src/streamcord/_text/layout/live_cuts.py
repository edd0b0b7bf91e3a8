"""Where a line that has not ended yet may be shown up to, although more of it is to come.

A cut here is as certain as any other: what is before it can no longer be changed, by no rule and by
nothing that the model still writes. So it lies between two plain words, far enough after everything that a
rule reads together, and where a line has something in it that rules look at as a whole (bars, tags, formulas)
the line is left to its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.punctuation import WIDE, class_of

if TYPE_CHECKING:
    from ..markdown.break_points import AtomicRange

__all__ = ["find_early_code_cut", "find_early_cut"]

MIN_PIECE_CHARS = 24
"""Characters that a piece has at least."""
MIN_CODE_PIECE_CHARS = 80
MAX_MENTION_CHARS = 120
"""A name after an @ may have so many characters, with spaces among them."""

# Letters and the signs that stand on them, as nearly every word of Hindi or Thai has them.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0ecd\u1000-\u109f"
)
_LETTER = rf"(?:[^\W_]|[{_SIGNS}])"
_WORD = f"{_LETTER}+(?:['’-]{_LETTER}+)*"
_GAP = re.compile(rf" (?=[^\W_])|[{class_of(WIDE)}](?=[^\W_])")
_WORD_BEFORE = re.compile(rf"(?:\A|[\s(\"“'‘]){_WORD}[.,;!?)\"”،؛؟।॥]{{0,2}}\Z")
_WORD_AFTER = re.compile(rf"{_WORD}[.,;!?)،؛؟।॥]?(?=\s)")
_LINE_WIDE_SIGNS = "|<>$\\{}^~="
_SIGNS_IN_URLS = "=~"
_QUOTE = re.compile(r"(?:>>>|>) ")
_FENCE = re.compile("`{3}|~{3}")
_ODD_CODE = re.compile("`{3}|~{3}|-----BEGIN")  # a key goes over many lines, and goes as a whole
_LOOK_BACK_CHARS = 40
_LOOKAHEAD_CHARS = 40


def find_early_cut(text: str, start: int, until: int, whole: AtomicRange, hold: int) -> int:
    """Return the first place after `start` where a line of prose may be cut, of those before `until`; 0 if none.

    Of a line's first `hold` characters a rule may still make a label.
    """
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start, until)
    until = end if end >= 0 else until
    quote = _QUOTE.match(text, line)
    begin = quote.end() if quote else line
    for sign in _LINE_WIDE_SIGNS:  # of a long line this is asked again and again: `find` is the quickest
        sign_at = text.find(sign, begin, until)
        while sign_at >= 0 and sign in _SIGNS_IN_URLS and (address := whole.around(sign_at)) is not None:
            sign_at = text.find(sign, address[1], until)
        until = sign_at if sign_at >= 0 else until
    first = max(start + MIN_PIECE_CHARS, line + hold)
    for gap in _GAP.finditer(text, first, max(first, until)):
        at = gap.end()
        if whole.free(at) and _is_safe_gap(text, line, at, until):
            return at
    return 0


def _is_safe_gap(text: str, line: int, at: int, until: int) -> bool:
    """Return whether two plain words meet here, and nothing before them waits for what follows."""
    if text.rfind("@", max(line, at - MAX_MENTION_CHARS), at) >= 0:
        return False
    if text.rfind("[", line, at) > text.rfind("]", line, at):
        return False
    if text[at - 1] in WIDE:
        return at + 1 < until
    before = _WORD_BEFORE.search(text[max(line, at - _LOOK_BACK_CHARS) : at - 1])
    after = _WORD_AFTER.match(text, at, min(until, at + _LOOKAHEAD_CHARS))
    return before is not None and after is not None


def find_early_code_cut(text: str, start: int, until: int) -> int:
    """Return the first line end after `start` where a code block may be cut, of those before `until`; 0 if none.

    Where more than plain lines of code may follow (a fence, also of a block inside it), there is none.
    """
    at = text.find("\n", start + MIN_CODE_PIECE_CHARS, until) + 1
    if not at:
        return 0
    after = text[at : text.find("\n", at, until) + 1]
    sign_at = _ODD_CODE.search(text, text.find("\n", start) + 1, at) or _FENCE.search(after)
    return 0 if sign_at or not after.strip() else at
