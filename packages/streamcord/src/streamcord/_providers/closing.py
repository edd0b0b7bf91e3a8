"""Close a source when its reader is done with it."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def closing(source: AsyncIterable[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Iterate over a source and close its iterator at the end of the block.

    Unlike `contextlib.aclosing`, this accepts iterators that have no `aclose`.
    """
    events = aiter(source)
    try:
        yield events
    finally:
        if close := getattr(events, "aclose", None):
            await close()
