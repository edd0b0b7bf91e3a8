"""Keeps the words of an answer back until its time has come; the model goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from streamcord import Message, ProviderEvent, TextDelta

__all__ = ["hold_back"]


async def hold_back(
    source: AsyncIterator[ProviderEvent | Message], until: float
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """The same events; none that people see before this time of the loop."""
    clock = asyncio.get_running_loop().time
    try:
        async for event in source:
            if isinstance(event, TextDelta | Message) and (wait := until - clock()) > 0:
                await asyncio.sleep(wait)
            yield event
    finally:
        if close := getattr(source, "aclose", None):
            await close()
