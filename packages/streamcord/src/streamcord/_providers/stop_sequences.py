"""End an answer at stop sequences, whether or not the provider supports them.

Servers accept four stop sequences, or one, or none, and some models refuse them. The server gets as many as it
accepts, which saves tokens; this module ends the answer at any of them, which keeps the promise.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence
from typing import Any, TypeVar

from .._events import Finish, KeepAlive, Seam, StreamPosition, TextDelta, ThoughtDelta, Usage
from .closing import closing

T = TypeVar("T")

# Events that may be yielded before text that is still buffered.
_OUT_OF_BAND = (KeepAlive, Seam, StreamPosition, ThoughtDelta, Usage)


class StopSequenceFilter:
    """Passes text up to the first stop sequence; only a possible beginning of one is buffered.

    The text ends at the stop sequence that is complete first. Neither the sequence nor anything after it is
    returned.
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self.found = ""
        """The stop sequence that ended the text; "" while there is none."""
        self._strings = tuple(strings)
        # All proper prefixes of the stop sequences: text that ends with one must wait.
        self._prefixes = frozenset(text[:end] for text in strings for end in range(1, len(text)))
        self._max_prefix_length = max(map(len, strings), default=1) - 1
        self._first_char = re.compile("[" + re.escape("".join({text[0] for text in strings}) or "\0") + "]")
        self._buffer = ""

    def feed(self, text: str) -> str:
        """Return the text that certainly comes before any stop sequence; "" once one was found."""
        if self.found:
            return ""
        text = self._buffer + text
        # The sequence that ends first wins, not the one that begins first.
        ends = ((at + len(stop), at, stop) for stop in self._strings if (at := text.find(stop)) >= 0)
        _, cut, self.found = min(ends, default=(0, -1, ""))
        if not self.found:
            cut = self._prefix_start(text)
        self._buffer = "" if self.found else text[cut:]
        return text[:cut]

    @property
    def is_buffering(self) -> bool:
        """Whether text was fed that was not returned yet."""
        return bool(self._buffer)

    def flush(self) -> str:
        """Return the buffered text, when nothing follows it."""
        text, self._buffer = self._buffer, ""
        return text

    def _prefix_start(self, text: str) -> int:
        """Return where the longest suffix of the text begins that is a prefix of a stop sequence."""
        for match in self._first_char.finditer(text, max(0, len(text) - self._max_prefix_length)):
            if text[match.start() :] in self._prefixes:
                return match.start()
        return len(text)


async def stop_at(
    source: AsyncIterable[T], strings: Sequence[str], *, on_stop: Callable[[str], object] | None = None
) -> AsyncGenerator[T | TextDelta | Finish, None]:
    r"""Yield the source up to the first stop sequence, then close it.

    Args:
        source: Text or provider events. Reasoning is not searched.
        strings: The stop sequences.
        on_stop: Called with the stop sequence that was found.

    Yields:
        The items of the source. If it has typed events, a `Finish` that names the stop sequence follows the text
        before it, as if the server had stopped there.

    Example:
        await say(channel, stop_at(source, ["\nUser:", "###"]))

    """
    stops = StopSequenceFilter(strings)
    # Text is yielded in the type in which it came: `str` or `TextDelta`.
    wrap: Callable[[str], Any] = str
    async with closing(source) as events:
        try:
            async for event in events:
                if not isinstance(event, str | TextDelta):
                    for passed in _pass(event, stops, wrap):
                        yield passed
                    continue
                wrap = type(event)
                if text := stops.feed(event if isinstance(event, str) else event.text):
                    yield wrap(text)
                if stops.found:
                    break
        except Exception:
            # Text that was received before the error is delivered before it.
            if text := stops.flush():
                yield wrap(text)
            raise
    if text := stops.flush():
        yield wrap(text)
    if not stops.found:
        return
    if on_stop is not None:
        on_stop(stops.found)
    # A source of plain text has no terminal event.
    if wrap is TextDelta:
        yield Finish(stop_sequence=stops.found)


def _pass(event: T, stops: StopSequenceFilter, wrap: Callable[[str], Any]) -> list[Any]:
    """Return an event that is no text, and the buffered text that comes before it."""
    if isinstance(event, StreamPosition) and stops.is_buffering:
        # All text before a position must have been passed on.
        return []
    # Events such as tool calls keep their place between the text.
    text = "" if isinstance(event, _OUT_OF_BAND) else stops.flush()
    return [wrap(text), event] if text else [event]
