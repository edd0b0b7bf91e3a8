"""Run the rules that users of the library add: functions that propose edits of a piece of text.

Custom rules run after the built-in cleanup and before the speaker guard, tables and Markdown conversion, so
that neither limits nor pings depend on them. Their edits are recorded like those of any rule. They do not see
code blocks. A rule that raises or returns an invalid edit changes nothing in that piece; its name and the
error are kept in `failed`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..sanitize import ODD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..traced_text import Edit, TracedText


@dataclass(frozen=True, slots=True)
class RuleText:
    r"""A piece of the answer as a rule sees it: a line, a sentence or a list.

    The pieces do not depend on how the answer was streamed.

    Example:
        def no_opening_phrase(text: RuleText) -> list[tuple[int, int, str]]:
            return text.sub(r"\A(Sure|Of course)[!,.]\s+", "") if text.is_first else []

    """

    text: str
    """The text, after the built-in cleanup."""
    is_first: bool
    """Whether it is the first text of the answer."""
    starts_line: bool
    """Whether it begins at the start of a line."""
    is_free: Callable[[int], bool]
    """Return whether the character at a position may be changed: not in inline code, a URL or a tag."""

    def sub(self, pattern: str | re.Pattern[str], replacement: str) -> list[tuple[int, int, str]]:
        """Return the edits that replace every match of a pattern where it may be changed.

        Args:
            pattern: A regular expression. Keep it simple: `(a+)+b` takes exponential time on some texts.
            replacement: The new text, as for `re.sub`; an empty text removes the match.

        Example:
            >>> def no_emphasis(text: RuleText) -> list[tuple[int, int, str]]:
            ...     return text.sub(r"!{2,}", "!")

        """
        found = re.finditer(pattern, self.text)
        return [
            (match.start(), match.end(), match.expand(replacement))
            for match in found
            if match.group() and self.is_free(match.start())
        ]


class Rule(Protocol):
    """A function that returns edits `(start, end, text)` for a piece of the answer.

    It must be deterministic. Its name appears in the record of what it changed.

    Example:
        def no_shouting(text: RuleText) -> list[tuple[int, int, str]]:
            return text.sub(r"!{2,}", "!")

        await say(channel, source, rules=[no_shouting])

    """

    def __call__(self, text: RuleText, /) -> Iterable[tuple[int, int, str]]:
        """Return the edits, none of which overlap."""


class CustomRules:
    """The rules of a user, applied in order."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        # The first error of each rule that raised or returned invalid edits, by the rule's name.
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
        """Return the text after all rules.

        Args:
            traced: The text.
            free: Returns, for a text, a function that says which characters may be changed.
            first: Whether this is the first text of the answer.
            line_start: Whether it begins at the start of a line.

        """
        for name, rule in self._rules:
            if not (text := traced.text):
                break
            try:
                edits = _checked(rule(RuleText(text, first, line_start, free(text))), len(text))
            # A custom rule is foreign code: any error disables it for this piece, not the answer.
            except Exception as error:
                self.failed.setdefault(name, error)
                continue
            traced = traced.replace(name, edits) if edits else traced
        return traced


def _checked(edits: Iterable[tuple[int, int, str]] | str | None, length: int) -> list[Edit]:
    """Return the edits in order, without characters that cannot be sent.

    Raises:
        TypeError: The rule returned something else.
        ValueError: Edits overlap or are outside the text.

    """
    if edits is None or isinstance(edits, str):
        returned = "a text" if isinstance(edits, str) else "None"
        raise TypeError(
            f"it returned {returned}: return a list of edits (start, end, text), such as text.sub(...)"
        )
    checked: list[Edit] = []
    at = 0
    for start, end, new in sorted(edits):
        if not at <= start <= end <= length or (start == end and not new):
            raise ValueError(f"the edit {(start, end, new)!r} overlaps another edit or is outside the text")
        checked.append((start, end, ODD.sub("", new)))
        at = end
    return checked


def _name(rule: Rule) -> str:
    return str(getattr(rule, "__name__", type(rule).__name__)).replace("_", " ")
