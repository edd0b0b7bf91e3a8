"""The short way for words: events that are made like the one before need not be read as JSON.

Nearly all events of an answer differ in their words alone, and in a few values that nobody asks for: a number
of the event, a padding. Words and such values are the gaps of a mould. If what stands between the gaps is
equal, character by character, an event says what the one before said, with other words. All others are read
the long way.

The pattern knows only how long the equal parts are, so that one serves all answers of a server; whether they
are equal is compared afterwards. Each step of it stays in its line and never goes back: time is linear.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable
from itertools import pairwise

__all__ = ["MOULD_CAP", "MOULD_TRIES", "Mould"]

MOULD_CAP = 4096
"""Characters of an event that are worth a mould."""
MOULD_TRIES = 8
"""So often another mould is tried in one answer: for some servers no two events are alike."""

_read_string: Callable[[str, int], tuple[str, int]] = getattr(json.decoder, "scanstring")  # noqa: B009

_WORDS = r'([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)'
_STRING = r'[^"\\\x00-\x1f]*+'
_NUMBER = r"(?:0|[1-9][0-9]{0,17}+)"
_END = "\n\n"


class Mould:
    """What stands around the words of events; the values of `idle` keys mean nothing and may differ too.

    A mould is trusted until something else is read, which may change what the next events mean.
    """

    def __init__(self, idle: tuple[str, ...] = ()) -> None:
        names = "|".join(idle) or "(?!)"
        self._idle = re.compile(rf'"({names})": ?(?:"({_STRING})"|({_NUMBER})(?![0-9]))')
        self._values: dict[str, str] = {}
        self._differ: set[str] = set()
        self._tries = MOULD_TRIES
        self._trusted = False
        self._parts: list[str] = []
        self._source = ""
        self._pattern: re.Pattern[str] | None = None
        self._place = 0
        """How many parts stand before the words."""

    def find(self, read: str) -> str:
        """The words of a read that is nothing but events of this mould; nothing for any other."""
        parts = self._parts
        if not (self._trusted and read.startswith(parts[0]) and read.endswith(parts[-1])):
            return ""
        if self._pattern is None:
            self._pattern = re.compile(self._source, re.MULTILINE)
        # For each event: what stands before it, which must be nothing; its parts, and among them its words.
        pieces = self._pattern.split(read)
        step = len(parts) + 2
        words = pieces[self._place :: step]
        del pieces[self._place :: step]
        for number, part in enumerate(parts, 1):
            if pieces[number :: step - 1].count(part) != len(words):
                return ""
        return "" if any(pieces[:: step - 1]) else _decode(words)

    def distrust(self) -> None:
        """Something else was read."""
        self._trusted = False

    def learn(self, head: str, data: str, text: str) -> None:
        """Note an event that says nothing but this text: `data` behind what a line of it begins with."""
        token = f'"{text}"'
        self._trusted = bool(self._parts)
        if self._trusted and self.find(f"{head}{data}{_END}") == text:
            return
        self._trusted = False
        if not self._tries or len(data) > MOULD_CAP or "\\" in data or data.count(token) != 1:
            return
        at = data.index(token) + 1
        gaps = sorted([(at, at + len(text), _WORDS), *self._find_gaps(data)])
        edges = [(0, 0, ""), *gaps, (len(data), len(data), "")]
        parts = [data[left[1] : right[0]] for left, right in pairwise(edges)]
        parts = [head + parts[0], *parts[1:-1], parts[-1] + _END]
        if parts != self._parts:
            self._tries -= 1
            self._parts = parts
            self._place = [start for start, *_ in gaps].index(at) + 2
            self._source, self._pattern = _pattern(head, parts, [gap for *_, gap in gaps]), None
        self._trusted = True

    def _find_gaps(self, data: str) -> list[tuple[int, int, str]]:
        """Where the values of idle keys stand that have differed, and what else may stand there."""
        found = list(self._idle.finditer(data))
        values = {key: "".join(one[0] for one in found if one[1] == key) for key in {one[1] for one in found}}
        self._differ |= {key for key, value in values.items() if self._values.get(key, value) != value}
        self._values = values
        return [
            (*one.span(one.lastindex or 0), _STRING if one.lastindex == 2 else _NUMBER)
            for one in found
            if one[1] in self._differ
        ]


def _pattern(head: str, parts: list[str], gaps: list[str]) -> str:
    """The source of a pattern for one event: so many characters, a gap, and so on."""
    lengths = [len(part) for part in parts]
    lengths[0] -= len(head)
    lengths[-1] -= len(_END)
    steps = [f".{{{length}}}" for length in lengths]
    steps[0] = re.escape(head) + steps[0]
    steps[-1] += _END
    return "^" + "".join(f"({step}){gap}" for step, gap in zip(steps, [*gaps, ""], strict=True))


def _decode(words: list[str]) -> str:
    """The texts of some JSON strings, as one; nothing if one of them is none."""
    text = "".join(words)
    if "\\" not in text:
        return text
    # Two halves of a surrogate pair from two events stay two halves, so they must not meet before.
    strings = words if "\\u" in text else [text]
    try:
        return "".join([_read_string(f'{string}"', 0)[0] for string in strings])
    except ValueError:
        return ""
