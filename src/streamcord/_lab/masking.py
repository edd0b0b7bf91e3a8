"""Masks secrets and words in a recording; a mask is as long as what it hides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["Masker"]

STAR = "*"
SECRET_LENGTH = 4

# What secrets look like when nobody told us theirs.
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|xoxb|xoxp|gh[pousr]|pat)[-_][\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}"
    r"|(?<=/api/webhooks/)\d+/[\w-]+"
)
# These decide what is shown at all, so they stay readable.
_TAGS = re.compile(r"</?(?:\w{1,20}:)?(?:think|details|summary)\b", re.IGNORECASE)


class Masker:
    """Masks texts; `everything` masks all words, else only secrets."""

    def __init__(self, secrets: Iterable[str] = (), *, everything: bool = False) -> None:
        self._secrets = sorted(
            (one for one in set(secrets) if len(one) >= SECRET_LENGTH), key=len, reverse=True
        )
        self._everything = everything

    def mask(self, text: str) -> str:
        """The text with secrets replaced by stars, as long as before."""
        for secret in self._secrets:
            text = text.replace(secret, STAR * len(secret))
        text = _SHAPES.sub(lambda found: STAR * len(found[0]), text)
        return _without_words(text) if self._everything else text

    def mask_value(self, value: object) -> object:
        """The same for everything in a JSON value."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, list | tuple):
            return [self.mask_value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.mask_value(item) for key, item in value.items()}
        return value


def _without_words(text: str) -> str:
    """Replace every letter by a neutral one; punctuation, white space and think or details tags stay."""
    kept = [found.span() for found in _TAGS.finditer(text)]
    letters = [_blank(letter) for letter in text]
    for start, end in kept:
        letters[start:end] = text[start:end]
    return "".join(letters)


def _blank(letter: str) -> str:
    if not letter.isalnum():
        return letter
    if not letter.isalpha():
        return "0"
    if unicodedata.east_asian_width(letter) in "WF":
        return "字"
    return "X" if letter.isupper() else "x"
