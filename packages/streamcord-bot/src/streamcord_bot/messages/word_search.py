"""Search a text for whole words, for triggers and lorebooks."""

from __future__ import annotations

import re

__all__ = ["WordSearch", "has_trigger"]

# Scripts without spaces have no word boundaries, so their letters do not count as word characters here.
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+")


MAX_MATCHES = 500
"""A word that occurs this often inside other words is taken as not found."""
MAX_SEARCHED_CHARS = 30_000_000
"""Limit for all searches in one text together: an untrusted lorebook may have very many keys."""


class WordSearch:
    """Searches a text for whole words, ignoring case; each word is searched once."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        self._words = frozenset(_WORD.findall(self._text))
        self._found: dict[str, bool] = {}
        # Characters that may still be searched.
        self.left = MAX_SEARCHED_CHARS

    def has(self, word: str) -> bool:
        """Return whether the text contains this word, or these words."""
        folded = word.casefold()
        if folded not in self._found:
            self._found[folded] = self._contains(folded)
        return self._found[folded]

    def _contains(self, word: str) -> bool:
        if not word or word in self._words:
            return bool(word)
        # A phrase can only be found if each of its words is.
        if not self._words.issuperset(_WORD.findall(word)) or self.left < len(self._text):
            return False
        self.left -= len(self._text)
        text, at = self._text, self._text.find(word)
        for _ in range(MAX_MATCHES):
            if at < 0:
                break
            if not (self._joins(at - 1, word[0]) or self._joins(at + len(word), word[-1])):
                return True
            # A match inside the same word is not a whole word either: continue after it.
            run = _WORD.match(text, at)
            at = text.find(word, run.end() if run else at + 1)
        return False

    def _joins(self, at: int, edge: str) -> bool:
        """Return whether the neighbouring character makes the match part of a longer word."""
        return 0 <= at < len(self._text) and bool(_WORD.match(self._text[at]) and _WORD.match(edge))


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Return whether the text contains one of the words as a whole word, ignoring case."""
    search = WordSearch(text)
    return any(search.has(trigger) for trigger in triggers)
