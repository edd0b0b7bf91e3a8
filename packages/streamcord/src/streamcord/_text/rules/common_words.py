"""Tell common words that begin a line before a colon (`Note:`, `Zutaten:`) from names.

No list is complete. Words that end like abstract nouns count as common too, plurals count if their singulars
do, and German compounds if their last parts do.
"""

from __future__ import annotations

from functools import cache

from ..word_lists import load_words

_MIN_ENDING_CHARS = 7
"""Shortest word that is judged by its ending."""
_MIN_GERUND_CHARS = 10
"""Shortest word that is judged by `-ing`: `Sterling` and `Irving` are names."""


_LISTS = ("common_words_english", "common_words_romance", "common_words_other")


@cache
def common_words() -> frozenset[str]:
    """Return all listed words. They are loaded on first use."""
    return frozenset().union(*map(load_words, _LISTS))


@cache
def _endings() -> tuple[str, ...]:
    return tuple(load_words("common_word_endings"))


def _singulars(word: str) -> frozenset[str]:
    """Return the words that a plural may come from."""
    if word[-1] != "s":
        return frozenset()
    return frozenset({word[:-1], word[:-2]} if word[-2] == "e" else {word[:-1]})


def is_common_word(word: str) -> bool:
    """Return whether a word is common at the start of a line, and no name.

    Args:
        word: The word, in lower case.

    Example:
        >>> is_common_word("zutaten"), is_common_word("isolde")
        (True, False)

    """
    # Names win: `Charity` ends like an abstract noun.
    if word in load_words("names_like_common_words"):
        return False
    words = common_words()
    if word in words or (len(word) > 4 and _singulars(word) & words):
        return True
    # Short words with these endings are often names.
    if len(word) < _MIN_ENDING_CHARS:
        return False
    return word.endswith(_endings()) or (len(word) >= _MIN_GERUND_CHARS and word.endswith(("ing", "ings")))
