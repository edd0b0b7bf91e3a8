"""Removes text that a provider sent twice, by the seeds' rule; off unless somebody asks for it.

The rule compares letters: a piece of at least 8 characters whose beginning repeats the end of what was said
is taken for a repetition. It cannot know better, so it also eats honest repetition (equal rows of a table, a
long laugh). Whatever it removes is reported to `removed`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .._events import ProviderEvent, TextDelta

if TYPE_CHECKING:
    from ..providers import Source

__all__ = ["drop_overlap"]

LEAST = 8
TAIL = 4096


async def drop_overlap(
    source: Source,
    *,
    least: int = LEAST,
    tail: int = TAIL,
    removed: Callable[[str], object] | None = None,
) -> AsyncIterator[str | ProviderEvent]:
    """The source without the text it sent twice; `removed` is called with each piece taken out."""
    recent = ""
    async with _closing(source) as events:
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


@asynccontextmanager
async def _closing(source: Source) -> AsyncIterator[AsyncIterator[str | ProviderEvent]]:
    """The source's iterator, closed afterwards if it can be."""
    events = aiter(source)
    try:
        yield events
    finally:
        if close := getattr(events, "aclose", None):
            await close()


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
