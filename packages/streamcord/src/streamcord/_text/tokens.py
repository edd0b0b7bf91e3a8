"""Results and character classes that every reader of text shares.

A reader is asked where something ends. It returns a position, `NOT_FOUND` (there is no such thing here) or
`NEED_MORE` (a character that has not arrived could change the answer). No reader looks further than its
reach, whether or not more has arrived, so its answer does not depend on how the stream was chunked.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """Replaces a compiled pattern until one of its methods is used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        value = getattr(re.compile(*self._arguments), name)
        # Python calls __getattr__ only for missing attributes: the next access costs nothing extra.
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use: large classes of letters take milliseconds."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


NOT_FOUND = 0
NEED_MORE = -1

LINE_REACH = 2000
"""Characters; longer than a message: a span that continues so long on its line need not be kept whole."""
UNSPACED = (
    "\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
"""Scripts written without spaces, as a class of a pattern: a marker next to them is between words."""
UNSPACED_LETTER = lazy_pattern(f"[{UNSPACED}]")
"""One letter of these scripts."""


def is_word(character: str) -> bool:
    """Whether a marker next to this character is inside a word."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() and not UNSPACED_LETTER.match(character)
