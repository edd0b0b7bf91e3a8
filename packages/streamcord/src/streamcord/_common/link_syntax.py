"""Find what Discord does not show of masked links: the brackets, the address and its title.

Discord reads `[label](address "title")` with a regular expression: any whitespace may surround the address, the
address may have parentheses and escapes, and the title may have everything, also parentheses and line ends. The
expression backtracks; here each position is decided once, from the end of the text to its start, so that the time
is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left

_SPECIAL = re.compile(r"[()\\\s]")
_SPACE = re.compile(r"\s*")
_TITLE_END = re.compile(r"[\"']\s*\)")
_TITLE_BREAK = re.compile(r"\n|\]\(")
_ANGLE = re.compile(r"\]\(\s*<")
_BRACKET = re.compile(r"\[|\]\(")


def link_syntax(text: str) -> list[list[tuple[int, int]]]:
    """Return what is hidden of the links in a text, read in two or three ways.

    Whether a title is one cannot always be told: a quote before the text of other links may open a title that ends
    after them, or none. So in the first reading no title has a line end or a link inside, and in the second one all
    titles have what they like, and the text may end inside of a link. Where an address is in angle brackets,
    parentheses in them may be part of it. Where an address contains a link, it may be none, so that the inner link is
    one.

    Args:
        text: Text with links; it may be cut off anywhere.

    Returns:
        For each reading the ranges that are not shown, in order.

    Example:
        >>> link_syntax("[a](https://x.example)")[0]
        [(0, 1), (2, 22)]

    """
    readings = [_read(text, strict=True), _read(text, strict=False)]
    if _ANGLE.search(text):
        readings.append(_read(text, strict=True, has_angles=True))
    if any("](" in text[start + 2 : end] for start, end in readings[0]):
        readings.append(_read(text, strict=True, is_innermost=True))
    return readings


def _read(
    text: str, *, strict: bool, has_angles: bool = False, is_innermost: bool = False
) -> list[tuple[int, int]]:
    ends = _Ends(text, strict=strict)
    found: list[tuple[int, int]] = []
    last = 0
    for bracket in _BRACKET.finditer(text):
        start = bracket.start()
        if start < last:
            continue
        if bracket[0] == "[":
            found.append(bracket.span())
            continue
        address = _SPACE.match(text, bracket.end()).end()  # type: ignore[union-attr]
        if has_angles and text.startswith("<", address):
            address = text.find(">", address) + 1 or address
        end = ends.find(address)
        if end and not (is_innermost and text.find("](", bracket.end(), end) >= 0):
            last = end
            found.append((start, end))
    return found


class _Ends:
    """Knows for each position inside an address where its link ends; 0 is nowhere."""

    def __init__(self, text: str, *, strict: bool) -> None:
        self._text = text
        # Where a link ends that the text ends in the middle of.
        self._cut_off = 0 if strict else len(text)
        self._titles = [found.span() for found in _TITLE_END.finditer(text)]
        self._breaks = [found.start() for found in _TITLE_BREAK.finditer(text)] if strict else []
        # Positions of the characters that matter, and the end of a link whose address reaches them.
        self._places = [found.start() for found in _SPECIAL.finditer(text)]
        self._ends = [0] * len(self._places) + [self._cut_off]
        self._sweep()

    def find(self, at: int) -> int:
        """Return the end of a link whose address begins here."""
        return self._ends[bisect_left(self._places, at)]

    def _sweep(self) -> None:
        """Decide each place by those to its right."""
        text, places, ends = self._text, self._places, self._ends
        # The end of a link that reaches the character after the next closing parenthesis.
        after_group = 0
        # Where the whitespace ends that the place is part of.
        space_end = len(text)
        for index in range(len(places) - 1, -1, -1):
            at, following = places[index], ends[index + 1]
            match text[at]:
                case ")":
                    ends[index], after_group = at + 1, following
                case "(":
                    # What is in parentheses belongs to the address, unless no link would end then.
                    ends[index] = after_group or following
                case "\\":
                    is_escape = index + 1 < len(places) and places[index + 1] == at + 1
                    ends[index] = ends[index + 2] if is_escape else following
                case _:
                    if at + 1 == len(text) or not text[at + 1].isspace():
                        space_end = at + 1
                    ends[index] = self._end_after_space(space_end)

    def _end_after_space(self, at: int) -> int:
        """Return the end of a link whose address ended with whitespace before this position."""
        if at == len(self._text):
            return self._cut_off
        if self._text[at] == ")":
            return at + 1
        if self._text[at] not in "\"'":
            return 0
        title = bisect_left(self._titles, (at + 1,))
        if title == len(self._titles):
            return self._cut_off
        start, end = self._titles[title]
        next_break = bisect_left(self._breaks, at)
        return end if next_break == len(self._breaks) or self._breaks[next_break] > start else 0
