"""Find markers that Discord would close inside a spoiler, which would reveal it.

The scanner treats a marker that its paragraph leaves open as text. Discord searches for the closing marker up to
the end of the message and may find it inside a spoiler: `So **it was`, and two lines below `||a **b** c||`. This
module reads as Discord's client does, by the patterns of its parser.
Replica: https://github.com/ItzDerock/discord-markdown-parser
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

URL = "url"
"""The `mark` of a leak that a URL causes."""

_RISKY = re.compile(r"[*_~`]")
_BEFORE = re.compile(r"https?://|\|\|")
_HOT = re.compile(r"[\\`|*_~\[\n]|https?://")
_STARS = (
    # Discord does not close it at a star after white space; other clients do.
    re.compile(r"\*(?=\S)((?:\*\*|\\.|[^*\\])+?)\*(?!\*)", re.DOTALL),
    re.compile(r"\*\*((?:\\.|[^\\])+?)\*\*(?!\*)", re.DOTALL),
)
_LINES = (
    re.compile(r"_((?:__|\\.|[^\\_])+?)_(?![0-9A-Za-z_])", re.DOTALL),
    re.compile(r"__((?:\\.|[^\\])+?)__(?!_)", re.DOTALL),
)
_EMPHASIS = {"*": _STARS, "_": _LINES, "~": (re.compile(r"~~(.+?)~~(?!_)", re.DOTALL),)}
_RUN = re.compile(r"\*{1,3}|_{1,3}|~~?|`+|\|\|")
_TICKS = re.compile("`+")
_URL = re.compile(r"https?://[^\s<]+")
_LINK = re.compile(r"\[((?:\[[^\]\n]*\]|[^\[\]])+)\]\(\s*<?https?://[^\s<>()]+>?\s*\)")
_QUOTE = re.compile(r" *> [^\n]*(?:\n *> [^\n]*)*")
_QUOTE_MARK = re.compile(r"^ *> ", re.MULTILINE)
_BLOCK_QUOTE = re.compile(r" *>>> ")
_HEADING = re.compile(r"(?:#{1,3}|-#) +")
_ITEM = re.compile(r" *(?:[-*]|\d+\.) +")
_ANY_ITEM = re.compile(rf"^{_ITEM.pattern}", re.MULTILINE)
_ESCAPED = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class SpoilerLeak(NamedTuple):
    """A marker (`*`, `_`, `~`, a backtick, a pipe, or `URL`), its position, and the spoiler it is closed in."""

    mark: str
    at: int
    spoiler: int


def find_leaks(text: str, spoilers: Sequence[tuple[int, int]]) -> list[SpoilerLeak]:
    """Return the first marker of each kind that Discord would close in a spoiler.

    Discord reads the items of a list one by one, other clients do not, so both ways are checked.

    Args:
        text: A message.
        spoilers: The ranges of its spoilers, including their pipes.

    """
    # Most texts have no spoiler, or no marker that could be closed in one.
    if not spoilers or not (_RISKY.search(text) or _BEFORE.search(text, 0, spoilers[-1][0])):
        return []
    found = _Walk(text, spoilers, items=False).found
    if _ANY_ITEM.search(text):
        found |= _Walk(text, spoilers, items=True).found
    return sorted(found, key=lambda one: (one.spoiler, one.at))


def find_unclosed(text: str, spoilers: Sequence[tuple[int, int]]) -> str:
    """Return the markers that are unclosed in a text and may be closed in later text, each kind once."""
    found = _Walk(text, spoilers, items=False).open
    if _ANY_ITEM.search(text):
        found |= _Walk(text, spoilers, items=True).open
    return "".join(f"{mark}x\n" for mark in sorted(found, key=lambda mark: found[mark]))


class _Walk:
    """Read a text once, as Discord does: blocks first, then spans from left to right."""

    def __init__(self, text: str, spoilers: Sequence[tuple[int, int]], *, items: bool) -> None:
        self.found: set[SpoilerLeak] = set()
        self.open: dict[str, int] = {}  # position of the first unclosed marker of each kind
        self._outer = True  # whether a span that begins here may be closed after the text
        self._text = text
        self._spoilers = spoilers
        self._starts = [start for start, _ in spoilers]
        self._lines = re.compile(f"{_HEADING.pattern}|{_ITEM.pattern}") if items else _HEADING
        self._read(0, len(text), quoted=False)

    def _read(self, at: int, end: int, *, quoted: bool) -> None:
        at = self._read_block(at, end, quoted=quoted)
        while hot := _HOT.search(self._text, at, end):
            at, mark = hot.start(), hot[0]
            if mark == "\n":
                at = self._read_block(at + 1, end, quoted=quoted)
            elif mark == "\\":
                at += 2 if self._text[at + 1 : at + 2] in _ESCAPED else 1
            elif mark in _EMPHASIS:
                at = self._read_emphasis(at, end, mark)
            else:
                at = self._read_other(at, end, mark)

    def _read_block(self, at: int, end: int, *, quoted: bool) -> int:
        """Read a quote, heading or item at the start of a line: no span that begins in one ends after it."""
        text = self._text
        if not quoted and (quote := _BLOCK_QUOTE.match(text, at, end)):
            self._read(quote.end(), end, quoted=True)
            return end
        if not quoted and (quote := _QUOTE.match(text, at, end)):
            # The markers become spaces, so that positions do not change.
            inner = _QUOTE_MARK.sub(lambda mark: " " * len(mark[0]), quote[0])
            self._text = text[:at] + inner + text[quote.end() :]
            outer, self._outer = self._outer, self._outer and not text[quote.end() :].strip()
            self._read(at, quote.end(), quoted=True)
            self._outer = outer
            return quote.end()
        line = self._lines.match(text, at, end)
        if line is None:
            return at
        newline = text.find("\n", line.end(), end)
        stop = newline if newline >= 0 else end
        self._read_line(line.end(), stop)
        return stop

    def _read_line(self, at: int, end: int) -> None:
        """Read a range without blocks."""
        lines, outer = self._lines, self._outer
        self._lines, self._outer = _NO_LINES, outer and end == len(self._text)
        self._read(at, end, quoted=True)
        self._lines, self._outer = lines, outer

    def _read_inside(self, found: re.Match[str]) -> int:
        """Read the inside of emphasis or a link: spans that begin in it end in it."""
        self._read_line(*found.span(1))
        return found.end()

    def _read_emphasis(self, at: int, end: int, mark: str) -> int:
        """Read emphasis: the longest match wins. After a leak, search again without the spoiler's markers."""
        while True:
            matches = [found for one in _EMPHASIS[mark] if (found := one.match(self._text, at, end))]
            if not matches:
                return self._leave_open(at, 1)
            longest = max(matches, key=lambda found: found.end())
            spoiler = self._spoiler_at(at, longest.end())
            if spoiler is None:
                return self._read_inside(longest)
            # The rule will escape this marker, so the search continues as if it were a letter.
            self.found.add(SpoilerLeak(mark, at, spoiler))
            start, stop = self._spoilers[spoiler]
            inner = self._text[start:stop].replace(mark, "x")
            self._text = self._text[:start] + inner + self._text[stop:]

    def _read_other(self, at: int, end: int, mark: str) -> int:
        """Read code, pipes, a URL or a link."""
        if mark == "`":
            return self._read_code(at, end)
        if mark == "|":
            return self._read_pipes(at, end)
        if mark == "[":
            link = _LINK.match(self._text, at, end)
            if link is None or self._spoiler_at(at, link.end()) is not None:
                return at + 1
            return self._read_inside(link)
        address = _URL.match(self._text, at, end)
        if address is None:
            return at + 1
        return self._pass(URL, at, address.end(), None)

    def _read_code(self, at: int, end: int) -> int:
        run = _TICKS.match(self._text, at, end)
        assert run
        # Discord closes a block at the next three backticks, however many opened it.
        if len(run[0]) >= 3 and (close := self._text.find("```", at + 4, end)) >= 0:
            return self._pass("`", at, close + 3, run.end())
        for other in _TICKS.finditer(self._text, run.end(), end):
            if len(other[0]) == len(run[0]):
                return self._pass("`", at, other.end(), run.end())
        return self._leave_open(at, len(run[0]))

    def _read_pipes(self, at: int, end: int) -> int:
        if not self._text.startswith("||", at):
            return at + 1
        # The spoilers that the scanner found are skipped; other pipes may hide a part of one.
        number = bisect_left(self._starts, at)
        if number < len(self._starts) and self._starts[number] == at:
            return self._spoilers[number][1]
        close = self._text.find("||", at + 3, end)
        if close < 0:
            return self._leave_open(at, 2)
        return self._pass("|", at, close + 2, at + 2)

    def _leave_open(self, at: int, length: int) -> int:
        """Record an unclosed marker; only the first of several in a row counts."""
        text = self._text
        if self._outer and text[max(0, at - 1) : at] != text[at]:
            run = _RUN.match(text, at)
            assert run
            self.open.setdefault(run[0], at)
        return at + length

    def _pass(self, mark: str, at: int, end: int, inside: int | None) -> int:
        """Return where to continue after an opaque span, or inside it if a spoiler begins there."""
        number = bisect_right(self._starts, at)
        if number == len(self._starts) or self._starts[number] >= end:
            return end
        self.found.add(SpoilerLeak(mark, at, number))
        return self._starts[number] if inside is None else inside

    def _spoiler_at(self, at: int, end: int) -> int | None:
        """Return the spoiler in which a span ends that began before it, or None."""
        number = bisect_left(self._starts, end) - 1
        if number < 0 or self._starts[number] < at or end >= self._spoilers[number][1]:
            return None
        return number


_NO_LINES = re.compile(r"(?!)")
