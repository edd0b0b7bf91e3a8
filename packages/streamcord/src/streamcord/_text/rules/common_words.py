"""Which words begin lines before a colon in ordinary answers (`Note:`, `Zutaten:`), so that they name nobody.

No list has all of them. Words with the endings of abstract nouns are ordinary too, plurals are what their
singulars are, and German compounds what their last parts are.
"""

from __future__ import annotations

from functools import cache

from ..word_lists import load_words

__all__ = ["common_words", "is_common_word"]

_MIN_ENDING_CHARS = 7
_MIN_GERUND_CHARS = 10


_LISTS = ("common_words_english", "common_words_romance", "common_words_other")


@cache
def common_words() -> frozenset[str]:
    """All listed words. They are loaded on first use."""
    return frozenset().union(*map(load_words, _LISTS))


@cache
def _endings() -> tuple[str, ...]:
    return tuple(load_words("common_word_endings"))


def _singulars(word: str) -> frozenset[str]:
    """What a plural may be made of."""
    if word[-1] != "s":
        return frozenset()
    return frozenset({word[:-1], word[:-2]} if word[-2] == "e" else {word[:-1]})


def is_common_word(word: str) -> bool:
    """Whether a word, in small letters, is one that answers begin lines with, and no name."""
    if word in load_words("names_like_common_words"):
        return False
    words = common_words()
    if word in words or (len(word) > 4 and _singulars(word) & words):
        return True
    if len(word) < _MIN_ENDING_CHARS:
        return False
    return word.endswith(_endings()) or (len(word) >= _MIN_GERUND_CHARS and word.endswith(("ing", "ings")))
