"""Pass on only whole words of an answer that may break off.

An answer may be cut anywhere. If another model continues it inside of a word, no one can tell "the qui" + "ck" from
"the quick" + "brown", because models often begin without a space. So the last word is held back until something
follows it. An answer that breaks off then ends between two words, with the space that belongs there, and the word that
may be incomplete is written again by the model that continues.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from .._events import KeepAlive, ProviderEvent, StreamPosition, TextDelta, Usage
from .._exceptions import ProviderError
from .closing import closing

MAX_HELD_CHARS = 200
"""A longer run without a space is no word."""

# Thai, Lao, Burmese and Khmer, kana, Han and full-width signs.
_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3000, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF00, 0xFFEF),
    (0x20000, 0x3FFFF),
)


def is_unspaced(char: str) -> bool:
    """Return whether a character is of a script that has no spaces between its words."""
    return any(first <= ord(char) <= last for first, last in _UNSPACED_RANGES)


class WholeWords:
    """Passes an answer, and holds back its last word until something follows.

    Example:
        words = WholeWords()
        async for event in words.read(provider.stream(prompt)):
            ...

    """

    def __init__(self) -> None:
        self.held = ""
        """The word that is held back; after the answer broke off, the one that may be incomplete."""
        # The position after this word. Positions inside of it are left out, because all text before a position must
        # have been passed on.
        self._position: StreamPosition | None = None

    async def read(self, events: AsyncIterator[ProviderEvent]) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the events in their order; what is left out in the end is told to programs that count tokens."""
        try:
            async with closing(events) as stream:
                async for event in stream:
                    for passed in self._pass(event):
                        yield passed
        except ProviderError:
            for told in self._tell_held():
                yield told
            raise
        for told in self._tell_held():
            yield told

    def _tell_held(self) -> Iterator[KeepAlive]:
        if self.held:
            yield KeepAlive(buffered=len(self.held.encode("utf-8", "replace")))

    def _pass(self, event: ProviderEvent) -> Iterator[ProviderEvent]:
        if isinstance(event, TextDelta):
            yield from self._pass_text(event.text)
        elif isinstance(event, StreamPosition) and self.held:
            self._position = event
        else:
            # Anything else ends the word: a call of a tool, a thought, the end of the answer.
            if not isinstance(event, KeepAlive | Usage):
                yield from self._release()
            yield event

    def _pass_text(self, text: str) -> Iterator[ProviderEvent]:
        start = _last_word(self.held, text)
        if not start:
            self.held += text
            self._position = None if text else self._position
            return
        if self._position is not None:
            yield from self._release()
        yield TextDelta(self.held + text[:start])
        self.held = text[start:]

    def _release(self) -> Iterator[ProviderEvent]:
        if self.held:
            yield TextDelta(self.held)
            self.held = ""
        if self._position is not None:
            yield self._position
            self._position = None


def _last_word(held: str, text: str) -> int:
    """Return where the last word begins in a text that follows what is held; 0 if all of it is one word."""
    start = len(text)
    while start and not (text[start - 1].isspace() or is_unspaced(text[start - 1])):
        start -= 1
    length = len(text) - start + (0 if start else len(held))
    return start if length <= MAX_HELD_CHARS else len(text)
