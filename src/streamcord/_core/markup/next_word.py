"""Which word comes next, said as soon as the letters that have arrived leave no doubt."""

from __future__ import annotations

from typing import Final

__all__ = ["Words"]


class Words:
    """A set of words that knows how each of them begins."""

    def __init__(self, words: str) -> None:
        self._words = frozenset(words.split())
        self._beginnings = frozenset(word[:size] for word in self._words for size in range(1, len(word) + 1))
        self.reach: Final = max(map(len, self._words)) + 1

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def start(self, text: str, at: int, *, final: bool) -> bool | None:
        """Whether one of the words stands here, and no longer word; None to wait."""
        end, last = at, min(len(text), at + self.reach)
        while end < last and text[end].isalpha():
            end += 1
        word = text[at:end]
        if end == len(text) and not final and end < at + self.reach:
            return None if word in self._beginnings or not word else False
        return word in self._words
