"""Redact secrets, or all words, in a recording; a mask has the length of the text that it hides."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterable

from .._common.known_secrets import SecretFilter
from .._common.redaction import STAR

MIN_SECRET_CHARS = 4

# More patterns than `_common.redaction` has: in a recording a false positive does no harm.
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|xoxb|xoxp|gh[pousr]|pat)[-_][\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}"
    r"|(?<=/api/webhooks/)\d+/[\w-]+"
)
# These tags decide which text is shown, so they stay readable.
_TAGS = re.compile(r"</?(?:\w{1,20}:)?(?:think|details|summary)\b", re.IGNORECASE)


class RecordingRedactor:
    """Masks texts; `everything` masks all words, else only secrets."""

    def __init__(self, secrets: Iterable[str] = (), *, everything: bool = False) -> None:
        self._secrets = sorted(
            (one for one in set(secrets) if len(one) >= MIN_SECRET_CHARS), key=len, reverse=True
        )
        self._known = SecretFilter(self._secrets)
        self._everything = everything

    def mask(self, text: str, *, words: bool = True) -> str:
        """The text with secrets replaced by stars, as long as before; without `words` all else stays."""
        for secret in self._secrets:
            text = text.replace(secret, STAR * len(secret))
        text = _SHAPES.sub(lambda found: STAR * len(found[0]), self._known.mask(text))
        return _without_words(text) if self._everything and words else text

    def mask_value(self, value: object, *, words: bool = True) -> object:
        """The same for everything in a JSON value, keys included; bytes become Base64."""
        if isinstance(value, str):
            return self.mask(value, words=words)
        if isinstance(value, list | tuple):
            return [self.mask_value(item, words=words) for item in value]
        if isinstance(value, dict):
            return {
                self.mask_value(key, words=False): self.mask_value(item, words=words)
                for key, item in value.items()
            }
        return base64.b64encode(self._mask_bytes(value)).decode() if isinstance(value, bytes) else value

    def _mask_bytes(self, content: bytes) -> bytes:
        """The bytes of a file; what is no text stays as it is."""
        try:
            return self.mask(content.decode(), words=False).encode()
        except UnicodeDecodeError:
            return content


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
