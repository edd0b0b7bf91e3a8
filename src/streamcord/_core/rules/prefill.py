"""Rule 6: the opening that the answer was given is shown once, and not again where the model repeats it.

The repeated opening may arrive in several segments. They wait, never longer than the prefill is; if they turn
out to be something else they are said, as they are.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Echo", "Match"]


class Match(Enum):
    """What a text has to do with the prefill."""

    NONE = "it is something else"
    PART = "it may become the prefill"
    WHOLE = "it begins with what was left of the prefill"


class Echo:
    """What is left of a prefill for the model to repeat."""

    def __init__(self, prefill: str) -> None:
        self.text = prefill
        self._left = prefill.lstrip()
        self._begun = False

    def match(self, text: str) -> tuple[Match, int]:
        """How a text goes on with the echo, and how much of it is one."""
        start = 0 if self._begun else len(text) - len(text.lstrip())
        said = text[start:]
        if said.startswith(self._left):
            return Match.WHOLE, start + len(self._left)
        if self._left.rstrip() == said.rstrip():
            return Match.WHOLE, len(text)
        if not self._left.startswith(said):
            return Match.NONE, 0
        self._left, self._begun = self._left[len(said) :], True
        return Match.PART, len(text)
