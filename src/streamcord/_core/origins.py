"""Where visible text stood in the source, although blocks were taken out between."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._events import Spans

__all__ = ["Origins"]


class Origins:
    """A few jumps between two ways of counting the same characters."""

    def __init__(self, source: int = 0) -> None:
        self._at = [0]
        self._source = [source]

    def note(self, at: int, source: int) -> None:
        """The visible text at this position is this source character."""
        if self._source[-1] + at - self._at[-1] != source:
            self._at.append(at)
            self._source.append(source)

    def source(self, at: int) -> int:
        """The source position of a visible character."""
        index = bisect_right(self._at, at) - 1
        return self._source[index] + at - self._at[index]

    def spans(self, start: int, end: int) -> Spans:
        """The source ranges of a piece of visible text."""
        if len(self._at) == 1:
            first = self._source[0] + start
            return ((first, first + end - start),) if start < end else ()
        found = []
        index = bisect_right(self._at, start) - 1
        while start < end:
            stop = min(end, self._at[index + 1]) if index + 1 < len(self._at) else end
            first = self._source[index] + start - self._at[index]
            found.append((first, first + stop - start))
            start, index = stop, index + 1
        return tuple(found)

    def shift(self, by: int) -> None:
        """The first characters are gone: positions count from later on."""
        index = bisect_right(self._at, by) - 1
        first = self.source(by)
        self._at = [0, *(at - by for at in self._at[index + 1 :])]
        self._source = [first, *self._source[index + 1 :]]

    def unshift(self, count: int, source: int) -> None:
        """Characters that stand at `source` come first again."""
        self._at = [0, *(at + count for at in self._at)]
        self._source = [source, *self._source]
