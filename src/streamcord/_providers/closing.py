"""Closes what was opened, whatever happens in between."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

__all__ = ["closing"]

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
