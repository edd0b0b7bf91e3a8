"""Find ellipses after which a speaker only hesitates, so that the sentence continues: `But... I can't`.

A capital after an ellipsis usually begins a sentence (`He waited... Then he left`). It does not if the word before
the ellipsis needs another one (`and`) or is repeated, or if the capital is an `I` after one or two words.
"""

from __future__ import annotations

import re

from ..word_lists import load_words
from .punctuation import COMMAS, ENDS, MAX_WORD_CHARS, QUOTE_ENDS, SPACES, class_of

_LOOK_BACK_CHARS = 4 * MAX_WORD_CHARS
_WORD = r"[^\W\d_][\w'’-]{0,31}"
# The words before the ellipsis, back to the start of the line or the end of the sentence before.
_FRAGMENT = re.compile(
    rf"(?:\A|[\n{class_of(ENDS)}\"“„«‘(*_~>:—–-])[{class_of(SPACES)}\"“„«‘(*_~—–-]*({_WORD})(?:[ ,]{{1,2}}({_WORD}))?\Z"
)
_LAST_WORD = re.compile(rf"{_WORD}\Z")
_NEXT_WORD = re.compile(_WORD)
# Sounds that lead to the next words in languages without capitals: `あの… わかりません`.
_FILLER = re.compile(
    rf"(?:\A|[\s{class_of(ENDS | COMMAS | QUOTE_ENDS)}])"
    r"(?:あのー?|あのう|えっと|ええと|えーと|えー|そのー?|まあ|嗯|呃|那个|那個|这个|這個|저|저기|음|어|그)[.…‥]{0,6}\Z"
)
_MAX_FILLER_CHARS = 12
_FIRST_PERSON = re.compile(r"I(?:['’](?:m|ll|ve|d))?\Z")


def is_hesitation(text: str, start: int, at: int, cut: int, *, final: bool) -> bool | None:
    """Return whether the sentence continues after the ellipsis at `at`; None if more text is needed.

    Args:
        text: The text so far.
        start: Nothing before this position is read.
        at: Position of the first dot.
        cut: Position after the spaces that follow the ellipsis.
        final: Whether no more text follows.

    """
    before = text[max(start, at - _LOOK_BACK_CHARS) : at]
    last = _LAST_WORD.search(before)
    if last is None or not text[cut : cut + 1].isupper():
        return False
    if last[0].lower() in load_words("words_before_hesitation"):
        return True
    word = _NEXT_WORD.match(text, cut)
    if word is None:
        return False
    if word.end() == len(text) and not final and len(word[0]) < MAX_WORD_CHARS:
        return None
    if word[0].lower() == last[0].lower():
        return True
    # `I` has a capital anywhere: after one or two words it begins no sentence.
    return _FIRST_PERSON.match(word[0]) is not None and _FRAGMENT.search(before) is not None


def follows_filler(text: str, start: int, at: int) -> bool:
    """Return whether a sound that only leads to the next words is before the ellipsis at `at`."""
    return _FILLER.search(text, max(start, at - _MAX_FILLER_CHARS), at) is not None
