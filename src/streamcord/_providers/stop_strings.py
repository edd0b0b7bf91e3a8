"""Ends an answer at a stop string, whoever writes it and whether or not the server knows about it.

Servers take four stop strings, or one, or none, and some models refuse them all. So the server gets as many
as it takes, the first ones, which saves tokens; and here the answer ends at any of them, which keeps the
promise. An answer ends at the stop string that is complete first; neither it nor anything behind it is said.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence
from typing import Any, TypeVar

from .._events import Finish, KeepAlive, TextDelta, ThoughtDelta, Usage
from .closing import closing

__all__ = ["StopCutter", "end_at"]

T = TypeVar("T")

_ASIDE = (KeepAlive, ThoughtDelta, Usage)
"""What may overtake words that are held."""


class StopCutter:
    """Lets text pass up to the first stop string; only what may be the beginning of one is held."""

    def __init__(self, strings: Sequence[str]) -> None:
        self.found = False
        self._strings = tuple(strings)
        self._beginnings = frozenset(text[:end] for text in strings for end in range(1, len(text)))
        self._reach = max(map(len, strings), default=1) - 1
        self._first = re.compile("[" + re.escape("".join({text[0] for text in strings}) or "\0") + "]")
        self._held = ""

    def feed(self, text: str) -> str:
        """What may be said for certain; after a stop string nothing more."""
        if self.found:
            return ""
        text = self._held + text
        ends = ((at + len(stop), at) for stop in self._strings if (at := text.find(stop)) >= 0)
        _, cut = min(ends, default=(0, -1))
        self.found = cut >= 0
        if not self.found:
            cut = self._hold_from(text)
        self._held = "" if self.found else text[cut:]
        return text[:cut]

    def flush(self) -> str:
        """What was held, now that nothing follows it."""
        held, self._held = self._held, ""
        return held

    def _hold_from(self, text: str) -> int:
        """Where the longest end of the text starts with which a stop string begins."""
        for first in self._first.finditer(text, max(0, len(text) - self._reach)):
            if text[first.start() :] in self._beginnings:
                return first.start()
        return len(text)


async def end_at(
    source: AsyncIterable[T], strings: Sequence[str]
) -> AsyncGenerator[T | TextDelta | Finish, None]:
    """The source up to the first of these texts; then it is closed.

    A source of typed events is finished as a server would do it, with `Finish`. Thoughts are not searched.
    """
    cutter = StopCutter(strings)
    wrap: Callable[[str], Any] = str
    async with closing(source) as events:
        try:
            async for event in events:
                if not isinstance(event, str | TextDelta):
                    # Whatever stands between the words keeps its place.
                    if not isinstance(event, _ASIDE) and (held := cutter.flush()):
                        yield wrap(held)
                    yield event
                    continue
                wrap = type(event)
                if said := cutter.feed(event if isinstance(event, str) else event.text):
                    yield wrap(said)
                if cutter.found:
                    break
        except Exception:
            # Words that were held come before the bad news.
            if held := cutter.flush():
                yield wrap(held)
            raise
    if held := cutter.flush():
        yield wrap(held)
    if cutter.found and wrap is TextDelta:
        yield Finish()
