"""Search a text for whole words, as triggers and lorebooks need it."""

from __future__ import annotations

import re

__all__ = ["WordSearch", "has_trigger"]

# Scripts without spaces have no word borders, so their letters are none here.
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+")


LOOK_CAP = 500
"""What stands in the middle of other words so often stands there always."""
SEARCHED = 30_000_000
"""Characters that are looked through for all words together: a book of strangers may have very many."""


class WordSearch:
    """Looks for words in a text, as whole words and in any case; every word takes one look at the text."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        self._words = frozenset(_WORD.findall(self._text))
        self._found: dict[str, bool] = {}
        self.left = SEARCHED

    def has(self, word: str) -> bool:
        """Whether the text contains this word, or these words."""
        folded = word.casefold()
        if folded not in self._found:
            self._found[folded] = self._look(folded)
        return self._found[folded]

    def _look(self, word: str) -> bool:
        if not word or word in self._words:
            return bool(word)
        # Several words can only be there if each of them is.
        if not self._words.issuperset(_WORD.findall(word)) or self.left < len(self._text):
            return False
        self.left -= len(self._text)
        text, at = self._text, self._text.find(word)
        for _ in range(LOOK_CAP):
            if at < 0:
                break
            if not (self._joins(at - 1, word[0]) or self._joins(at + len(word), word[-1])):
                return True
            # Whatever begins inside of the same word is a part of it, too.
            run = _WORD.match(text, at)
            at = text.find(word, run.end() if run else at + 1)
        return False

    def _joins(self, at: int, edge: str) -> bool:
        """Whether the neighbour makes it part of a longer word."""
        return 0 <= at < len(self._text) and bool(_WORD.match(self._text[at]) and _WORD.match(edge))


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Whether the text contains one of the words, as a whole word and in any case."""
    search = WordSearch(text)
    return any(search.has(trigger) for trigger in triggers)
