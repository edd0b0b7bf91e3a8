"""Sources around sources: one is closed for certain, ended at a stop string, or rid of repeated text."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from .._events import Finish, KeepAlive, Message, ProviderEvent, Source, TextDelta, ThoughtDelta, Usage

__all__ = ["StopCutter", "closing", "drop_overlap", "end_at"]

T = TypeVar("T")


@asynccontextmanager
async def closing(source: AsyncIterable[T]) -> AsyncIterator[AsyncIterator[T]]:
    """The source's iterator, closed at the end of the block if it can be."""
    events = aiter(source)
    try:
        yield events
    finally:
        if close := getattr(events, "aclose", None):
            await close()


# --- Stop strings -------------------------------------------------------------------------------------

_ASIDE = (KeepAlive, ThoughtDelta, Usage)
"""What may overtake words that are held."""


class StopCutter:
    """Lets text pass up to the first stop string; only what may be the beginning of one is held.

    Servers take four stop strings, or one, or none, and some models refuse them all. So the server gets as
    many as it takes, which saves tokens, and here the answer ends at any of them, which keeps the promise. It
    ends at the stop string that is complete first; neither it nor anything behind it is said.
    """

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


# --- Text that came twice ------------------------------------------------------------------------------

LEAST = 8
TAIL = 4096


async def drop_overlap(
    source: Source,
    *,
    least: int = LEAST,
    tail: int = TAIL,
    removed: Callable[[str], object] | None = None,
) -> AsyncIterator[str | ProviderEvent | Message]:
    """The source without the text it sent twice; `removed` is called with each piece taken out.

    source: what to read.
    least: a piece of at least so many characters whose beginning repeats the end of what was said is taken
        for a repetition. Only letters are compared, so honest repetition (equal rows of a table, laughter)
        goes too: leave this off unless your provider is known to send text twice.
    tail: how many characters of what was said are remembered.
    """
    recent = ""
    async with closing(source) as events:
        async for event in events:
            if not isinstance(event, str | TextDelta):
                yield event
                continue
            text = event if isinstance(event, str) else event.text
            doubled = _overlap(recent, text, least)
            recent = (recent + text[doubled:])[-tail:]
            if doubled and removed:
                removed(text[:doubled])
            if doubled < len(text):
                yield text[doubled:] if isinstance(event, str) else TextDelta(text[doubled:])


def _overlap(recent: str, text: str, least: int) -> int:
    """The length of the longest end of `recent` that `text` begins with, if it is long enough."""
    if len(text) < least:
        return 0
    start = recent.find(text[:least], max(0, len(recent) - len(text)))
    while start >= 0:
        if text.startswith(recent[start:]):
            return len(recent) - start
        start = recent.find(text[:least], start + 1)
    return 0
