"""The last word of an answer is held back until something follows it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from streamcord import Finish, KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, Truncated
from streamcord._events import StreamPosition
from streamcord._providers.whole_words import MAX_HELD_CHARS, WholeWords

FIRST, SECOND = StreamPosition("r", "1", "o"), StreamPosition("r", "2", "o")


async def _stream(events: Sequence[str | ProviderEvent | Exception]) -> AsyncIterator[ProviderEvent]:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield TextDelta(event) if isinstance(event, str) else event


async def read(*events: str | ProviderEvent | Exception) -> tuple[list[ProviderEvent], str]:
    """What is passed on, and what is held in the end."""
    words, passed = WholeWords(), []
    try:
        async for event in words.read(_stream(events)):
            passed.append(event)
    except Truncated:
        pass
    return passed, words.held


@pytest.mark.parametrize(
    ("events", "passed", "held"),
    [
        (["The qui", "ck", " brown"], ["The ", "quick "], "brown"),
        (["The quick ", "brown", Finish()], ["The quick ", "brown", Finish()], ""),
        (["Look", ThoughtDelta("hm")], ["Look", ThoughtDelta("hm")], ""),
        (["Look", KeepAlive()], [KeepAlive()], "Look"),
        (["昔々、あ", "る"], ["昔々、あ", "る"], ""),
        (["これはDis", "cord"], ["これは"], "Discord"),
        (["a" * (MAX_HELD_CHARS + 1)], ["a" * (MAX_HELD_CHARS + 1)], ""),
        # A position comes after all text before it, and is left out inside of a word.
        (["The qu", FIRST, "ick", SECOND, " fox"], ["The ", "quick", SECOND, " "], "fox"),
        (["The ", FIRST, "quick", SECOND], ["The ", FIRST], "quick"),
    ],
)
async def test_last_word_is_held_back(
    events: list[str | ProviderEvent], passed: list[str | ProviderEvent], held: str
) -> None:
    expected = [TextDelta(event) if isinstance(event, str) else event for event in passed]
    # Also what is not shown was paid.
    expected += [KeepAlive(buffered=len(held))] if held else []
    assert await read(*events) == (expected, held)
    assert await read(*events, Truncated("cut")) == (expected, held)
