"""What the checks of a store share: a clock that stands still, ids as large as Discord's, an open store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from .._errors import StoreError
from ..store import Memory, Place, Store

__all__ = [
    "BASE",
    "ELSEWHERE",
    "GUILD",
    "OTHER_GUILD",
    "PLACE",
    "Clock",
    "StoreCheck",
    "StoreOpener",
    "answer_number",
    "opened",
    "refuses",
    "texts_of",
]

StoreOpener: TypeAlias = Callable[[Callable[[], float]], Awaitable[Store]]
"""Opens the store under test with a clock: seconds since 1970, as `time.time` says them."""
StoreCheck: TypeAlias = Callable[[StoreOpener], Awaitable[None]]

BASE = 1_300_000_000_000_000_000
"""Message ids are as large as Discord's."""
GUILD, OTHER_GUILD = BASE + 1, BASE + 2
PLACE = Place(GUILD, BASE + 3)
ELSEWHERE = Place(GUILD, BASE + 4)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """How late it is."""
        return self.now


@asynccontextmanager
async def opened(opener: StoreOpener, clock: Clock | None = None) -> AsyncIterator[Store]:
    """The store under test, closed at the end."""
    store = await opener(clock or Clock())
    try:
        yield store
    finally:
        await store.close()


def answer_number(number: int, persona: str = "Luna", place: Place = PLACE, user: int = 7) -> Memory:
    """An answer that tells its number."""
    return Memory(persona, place, f"answer {number}", (BASE + number,), user=user)


async def texts_of(store: Store, persona: str = "Luna", place: Place = PLACE) -> list[str]:
    """What a persona remembers there, as the store says it."""
    return [memory.text for memory in await store.recall(persona, place)]


async def refuses(act: Awaitable[object]) -> None:
    """Whether it raises a `StoreError` that is a sentence."""
    try:
        await act
    except StoreError as error:
        said = str(error)
    else:
        raise AssertionError("it should have been a StoreError")
    assert said.endswith("."), "an error is a sentence"
