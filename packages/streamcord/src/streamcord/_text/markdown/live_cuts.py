"""Find where an unfinished line may be cut, so that a live message can show its first part early.

Such a cut must be as certain as any other: no rule and no further text may change the text before it.
Therefore it is between two plain words, far enough after everything that a rule reads together. A line with
signs that rules read over the whole line (bars, tags, formulas) is not cut before its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.punctuation import WIDE, class_of

if TYPE_CHECKING:
    from .break_points import AtomicRange

MIN_PIECE_CHARS = 24
"""Shortest piece of prose."""
MIN_CODE_PIECE_CHARS = 80
"""Shortest piece of a code block."""
MAX_MENTION_CHARS = 120
"""A name after an `@` may have this many characters, including spaces."""

# Letters and combining signs, which nearly every word of Hindi or Thai has.
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
_ODD_CODE = re.compile("`{3}|~{3}|-----BEGIN")  # a private key spans many lines and is hidden as a whole
_LOOK_BACK_CHARS = 40
_LOOKAHEAD_CHARS = 40


def find_early_cut(text: str, start: int, until: int, whole: AtomicRange, hold: int) -> int:
    """Return the first position after `start` and before `until` where prose may be cut, or 0.

    Args:
        text: The text so far.
        start: End of the last cut.
        until: End of the text that is certain.
        whole: Ranges that must not be cut.
        hold: Characters at the start of a line that a rule may still read as a label.

    """
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start, until)
    until = end if end >= 0 else until
    quote = _QUOTE.match(text, line)
    begin = quote.end() if quote else line
    # A long line is checked again for each new token; `str.find` is the fastest way.
    for sign in _LINE_WIDE_SIGNS:
        sign_at = text.find(sign, begin, until)
        # These signs are common in URLs, where they mean nothing.
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
    """Return whether two plain words meet here and nothing before them needs the following text."""
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
    """Return the first line end after `start` and before `until` where code may be cut, or 0.

    There is none near a fence or a private key, which rules read over several lines.
    """
    head = text.find("\n", start) + 1
    at = text.find("\n", start + MIN_CODE_PIECE_CHARS, until) + 1
    while at:
        next_line = text.find("\n", at, until) + 1
        if not next_line:
            return 0
        after = text[at:next_line]
        if _ODD_CODE.search(text, head, at) or _FENCE.search(after):
            return 0
        if after.strip():
            return at
        # Empty lines go with the line before them: a message may end here, and the next one begins with code.
        at = next_line
    return 0
