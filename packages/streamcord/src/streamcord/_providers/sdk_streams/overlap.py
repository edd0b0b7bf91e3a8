"""Remove text that a provider sends twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from ..._events import Message, ProviderEvent, Source, TextDelta
from ..closing import closing

MIN_OVERLAP_CHARS = 8
MAX_TAIL_CHARS = 4096


async def drop_overlap(
    source: Source,
    *,
    min_chars: int = MIN_OVERLAP_CHARS,
    tail_chars: int = MAX_TAIL_CHARS,
    removed: Callable[[str], object] | None = None,
) -> AsyncIterator[str | ProviderEvent | Message]:
    """Remove text that a provider sent twice.

    A piece whose beginning repeats the end of the earlier text counts as a repetition. Intended repetition, such as
    equal rows of a table, is removed too: use this only for a provider that is known to send text twice.

    Args:
        source: The source to read.
        min_chars: The shortest repetition that is removed.
        tail_chars: How many characters of the earlier text are compared.
        removed: Called with each removed piece.

    Yields:
        The events of the source, without the repeated text.

    Example:
        await say(channel, drop_overlap(source))

    """
    recent = ""
    async with closing(source) as events:
        async for event in events:
            if not isinstance(event, str | TextDelta):
                yield event
                continue
            text = event if isinstance(event, str) else event.text
            doubled = _overlap(recent, text, min_chars)
            recent = (recent + text[doubled:])[-tail_chars:]
            if doubled and removed:
                removed(text[:doubled])
            if doubled < len(text):
                yield text[doubled:] if isinstance(event, str) else TextDelta(text[doubled:])


def _overlap(recent: str, text: str, min_chars: int) -> int:
    """The length of the longest end of `recent` that `text` begins with, if it is long enough."""
    if len(text) < min_chars:
        return 0
    start = recent.find(text[:min_chars], max(0, len(recent) - len(text)))
    while start >= 0:
        if text.startswith(recent[start:]):
            return len(recent) - start
        start = recent.find(text[:min_chars], start + 1)
    return 0
