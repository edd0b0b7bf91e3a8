"""Find commas after which a clause begins: a writer in a hurry may leave those out, and no others.

`I came, but he left` reads well without its comma, or as two messages. `red, green and blue`, `Hi, Tom` and
`in Paris, France` do not.
"""

from __future__ import annotations

import re
from functools import cache

from ..word_lists import load_sections
from .punctuation import COMMAS, ENDS, class_of

_LOOK_BACK_CHARS = 160
_MIN_PHRASE_WORDS = 5
_RELATIVES = frozenset({"which", "who", "whose", "where"})
_WORD = re.compile(r"\s{1,8}([^\W\d_]+(?:['’][^\W\d_]+)?)")
_MORE = re.compile(rf"\s{{1,8}}[^\s{class_of(COMMAS, ENDS)}]")
_CLAUSE_STARTS = re.compile(rf"[{class_of(ENDS)}:;\n(]")
_COMMA = re.compile(f"[{class_of(COMMAS)}]")


@cache
def _openers(section: str) -> frozenset[str]:
    return frozenset(load_sections("clause_openers")[section])


def begins_clause(text: str, start: int, end: int) -> bool:
    """Return whether a clause begins after the comma from `start` to `end`."""
    word, after = _next_word(text, end)
    if word in _openers("joining"):
        joined, _ = _next_word(text, after)
        return _begins_with_pronoun(text, after) or (bool(joined) and not _is_enumeration(text, start))
    if word in _openers("conjunctions"):
        return _MORE.match(text, after) is not None
    return _begins_with_pronoun(text, end)


def follows_phrase(text: str, begins: int, start: int, end: int) -> bool:
    """Return whether a pronoun follows a short phrase that begins at `begins`: `First, we go`, `The man, who waits`."""
    if len(text[begins:start].split()) >= _MIN_PHRASE_WORDS:
        return False
    return _begins_with_pronoun(text, end) or _next_word(text, end)[0] in _RELATIVES


def _next_word(text: str, at: int) -> tuple[str, int]:
    """Return the word after white space in lower case, and its end; an empty one if there is none."""
    found = _WORD.match(text, at)
    return (found[1].lower().replace("’", "'"), found.end()) if found else ("", at)


def _begins_with_pronoun(text: str, at: int) -> bool:
    """Return whether a pronoun and its verb follow: `he left`, `I'm`."""
    word, after = _next_word(text, at)
    if word in _openers("contractions"):
        return True
    verb, _ = _next_word(text, after)
    return word in _openers("pronouns") and verb != "" and verb not in _openers("not verbs")


def _is_enumeration(text: str, comma: int) -> bool:
    """Return whether a comma before `and` ends an enumeration: `red, green, and blue`."""
    low = max(0, comma - _LOOK_BACK_CHARS)
    clause = text[low:comma]
    clause = clause[max((found.end() for found in _CLAUSE_STARTS.finditer(clause)), default=0) :]
    return _COMMA.search(clause) is not None
