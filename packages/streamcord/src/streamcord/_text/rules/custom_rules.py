"""Rules that users of the library add: functions that look at a piece of the answer and say what to change.

They run after the house's own cleaning and before the speaker guard, tables and what makes a text fit for
Discord, so that neither limits nor pings depend on them. What they change is recorded as for every rule. They
do not see code blocks. A rule that raises, or asks for the impossible, changes nothing in that piece: the
words stay as they were, and the rule is named in `failed`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..sanitize import ODD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..traced_text import Edit, TracedText

__all__ = ["CustomRules", "Rule", "RuleText"]


@dataclass(frozen=True, slots=True)
class RuleText:
    """A piece of the answer, as a rule sees it: a line, a sentence or a list, however it was streamed."""

    text: str
    """Its words, cleaned by the house's own rules."""
    is_first: bool
    """Whether nothing of this answer was said before it."""
    starts_line: bool
    """Whether it begins at the start of a line."""
    is_free: Callable[[int], bool]
    """Whether the character at a position may be changed: it is in no inline code, address or tag."""

    def sub(self, pattern: str | re.Pattern[str], replacement: str) -> list[Edit]:
        """The edits that replace every match of a pattern by a text, wherever it may be changed.

        pattern: a regular expression. Keep it simple: `(a+)+b` takes for ever on some texts.
        replacement: what stands there instead, as for `re.sub`; empty text removes the match.
        """
        found = re.finditer(pattern, self.text)
        return [
            (match.start(), match.end(), match.expand(replacement))
            for match in found
            if match.group() and self.is_free(match.start())
        ]


class Rule(Protocol):
    """A function from a piece of the answer to edits: `(start, end, text)` puts a text where others stood.

    It must say the same whenever it is asked the same; its name is told with what it changed.
    """

    def __call__(self, text: RuleText, /) -> Iterable[tuple[int, int, str]]:
        """The edits that it wants, none of which overlap."""


class CustomRules:
    """The rules that a user gave, in their order; `failed` are those that could not be asked."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.failed: dict[str, Exception] = {}
        self._rules = [(_name(rule), rule) for rule in rules]

    def apply(
        self,
        traced: TracedText,
        free: Callable[[str], Callable[[int], bool]],
        *,
        first: bool,
        line_start: bool,
    ) -> TracedText:
        """The passage after all rules; `free` says of a text which of its characters may be changed."""
        for name, rule in self._rules:
            if not (text := traced.text):
                break
            try:
                edits = _checked(rule(RuleText(text, first, line_start, free(text))), len(text))
            except Exception as error:
                self.failed.setdefault(name, error)
                continue
            traced = traced.replace(name, edits) if edits else traced
        return traced


def _checked(edits: Iterable[tuple[int, int, str]], length: int) -> list[Edit]:
    """The edits in order, fit to be sent; raises where they overlap or lie outside of the text."""
    checked: list[Edit] = []
    at = 0
    for start, end, new in sorted(edits):
        if not at <= start <= end <= length or (start == end and not new):
            raise ValueError(f"the edit {(start, end, new)!r} overlaps another, or is not in the text")
        checked.append((start, end, ODD.sub("", new)))
        at = end
    return checked


def _name(rule: Rule) -> str:
    return str(getattr(rule, "__name__", type(rule).__name__)).replace("_", " ")
