"""The short way for words: events that are made like the one before need not be read as JSON.

Nearly all events of an answer differ in their words alone, and in a few values that nobody asks for: a number
of the event, a padding. Words and such values are the gaps of a mould. If what stands between the gaps is
equal, character by character, an event says what the one before said, with other words. All others are read
the long way.

The pattern knows only how long the equal parts are, so that one serves all answers of a server. Whether they
are equal is seen by putting the read together again from what was found in the gaps. Nothing ever goes back,
and where an event does not fit the rest is not looked at: time is linear.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable, Sequence
from itertools import chain, pairwise

__all__ = ["MOULD_CAP", "MOULD_TRIES", "Mould"]

MOULD_CAP = 4096
"""Characters of an event that are worth a mould."""
READ_CAP = 4 * 1024 * 1024
"""Characters of a read that are not too many for it."""
MOULD_TRIES = 8
"""So often another mould is tried in one answer: for some servers no two events are alike."""

_read_string: Callable[[str, int], tuple[str, int]] = getattr(json.decoder, "scanstring")  # noqa: B009

_WORDS = r'[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+'
_STRING = r'[^"\\\x00-\x1f]*+'
_NUMBER = r"0|[1-9][0-9]{0,17}+"
_NEVER = re.compile(r"(?!)")


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
        self._seam = ""
        """What stands between the words of two events, if only words differ."""
        self._row: list[str] = []
        """The parts, with room for what is in the gaps."""
        self._pattern: re.Pattern[str] = _NEVER
        self._gaps: list[tuple[slice, slice]] = []
        """Where the gaps of all events are in rows of parts, and what is in them in a read that was split."""
        self._words = slice(0)
        """The same of the words."""

    def find(self, read: str) -> str:
        """The words of a read that is nothing but events of this mould; nothing for any other."""
        if not (self._trusted and read.startswith(self._parts[0])) or len(read) > READ_CAP:
            return ""
        if len(self._gaps) > 1:
            return self._find_among(read)
        first, last = self._parts
        words: list[str] = self._pattern.findall(read)
        return _decode(words) if f"{first}{self._seam.join(words)}{last}" == read else ""

    def _find_among(self, read: str) -> str:
        """The same where values differ that are no words."""
        found: list[str] = self._pattern.split(read)
        if found[-2] is None:
            return ""  # the rest is no such event
        pieces = self._row * (len(found) // len(self._parts))
        for gap, values in self._gaps:
            pieces[gap] = found[values]
        return _decode(found[self._words]) if "".join(pieces) == read else ""

    def distrust(self) -> None:
        """Something else was read."""
        self._trusted = False

    def learn(self, head: str, data: str, text: str, end: str = "\n\n") -> None:
        """Note an event that says nothing but this text: its `data`, and what stands before and behind it."""
        token = f'"{text}"'
        self._trusted = bool(self._parts)
        if self._trusted and self.find(f"{head}{data}{end}") == text:
            return
        self._trusted = False
        if not self._tries or len(data) > MOULD_CAP or "\\" in data or data.count(token) != 1:
            return
        at = data.index(token) + 1
        gaps = sorted([(at, at + len(text), _WORDS), *self._find_gaps(data)])
        edges = [(0, 0, ""), *gaps, (len(data), len(data), "")]
        parts = [data[left[1] : right[0]] for left, right in pairwise(edges)]
        parts = [head + parts[0], *parts[1:-1], parts[-1] + end]
        if parts != self._parts:
            self._tries -= 1
            self._parts = parts
            self._seam = parts[-1] + parts[0]
            self._row = [*chain.from_iterable((part, "") for part in parts)][:-1]
            self._gaps = [
                (slice(2 * gap - 1, None, len(self._row)), slice(gap, None, len(parts)))
                for gap in range(1, len(parts))
            ]
            self._words = self._gaps[[start for start, *_ in gaps].index(at)][1]
            self._pattern = _pattern(parts, [gap for *_, gap in gaps])
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


def _pattern(parts: list[str], gaps: list[str]) -> re.Pattern[str]:
    """The pattern of one event: so many characters, a gap, and so on; or of all the rest, if it is none."""
    steps = [f".{{{len(part)}}}({gap})" for part, gap in zip(parts, gaps, strict=False)]
    return re.compile(f"{''.join(steps)}.{{{len(parts[-1])}}}|.+", re.DOTALL)


def _decode(words: Sequence[str]) -> str:
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
