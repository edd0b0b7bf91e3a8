"""Search a text for whole words, for triggers and lorebooks."""

from __future__ import annotations

import re

# Scripts without spaces have no word boundaries, so their letters do not count as word characters here.
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+")


MAX_COST = 10_000_000
"""Limit for all searches in one text together: an untrusted lorebook may have very many keys."""
PLACE_COST = 100
"""Cost of looking at one place where a phrase may be; searching a whole text costs its length."""
PART_COST = 400
"""Cost of each word of a phrase."""
SHORT_WORD_CHARS = 8
"""A longer key without words costs more: in a text of repeated letters each place is compared for long."""


class WordSearch:
    """Searches a text for whole words, ignoring case; each word is searched once.

    Args:
        text: the text.
        left: the cost that the searches may have; words that are too expensive are taken as not found.

    """

    def __init__(self, text: str, left: int = MAX_COST) -> None:
        self._text = text.casefold()
        # Where each word of the text begins.
        self._places: dict[str, list[int]] = {}
        for found in _WORD.finditer(self._text):
            self._places.setdefault(found[0], []).append(found.start())
        self._found: dict[str, bool] = {}
        # The cost that further searches may have.
        self.left = left

    def has(self, word: str) -> bool:
        """Return whether the text contains this word, or these words."""
        folded = word.casefold()
        if folded not in self._found:
            self._found[folded] = self._contains(folded)
        return self._found[folded]

    def _contains(self, word: str) -> bool:
        if not word or word in self._places:
            return bool(word)
        parts: list[tuple[str, int]] = []
        for found in _WORD.finditer(word):
            # A phrase can only be found if each of its words is.
            if found[0] not in self._places or self.left < PART_COST:
                return False
            self.left -= PART_COST
            parts.append((found[0], found.start()))
        if parts:
            return self._has_phrase(word, parts)
        # Only signs, or a script without spaces.
        cost = len(self._text) * (1 + len(word) // SHORT_WORD_CHARS)
        if self.left < cost:
            return False
        self.left -= cost
        return word in self._text

    def _has_phrase(self, phrase: str, parts: list[tuple[str, int]]) -> bool:
        """Look for a phrase where its rarest word is."""
        rarest, offset = min(parts, key=lambda part: len(self._places[part[0]]))
        for place in self._places[rarest]:
            if self.left < PLACE_COST:
                return False
            self.left -= PLACE_COST
            start = place - offset
            if (
                start >= 0
                and self._text.startswith(phrase, start)
                and not self._joins(start - 1, phrase[0])
                and not self._joins(start + len(phrase), phrase[-1])
            ):
                return True
        return False

    def _joins(self, at: int, edge: str) -> bool:
        """Return whether the neighbouring character makes the match part of a longer word."""
        return 0 <= at < len(self._text) and bool(_WORD.match(self._text[at]) and _WORD.match(edge))


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Return whether the text contains one of the words as a whole word, ignoring case."""
    search = WordSearch(text)
    return any(search.has(trigger) for trigger in triggers)
