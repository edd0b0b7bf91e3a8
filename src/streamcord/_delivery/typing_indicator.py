"""Shows that somebody is typing: a courtesy that never holds up a message and never outlives its turn."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from .._errors import DeliveryError
from .pace import Pace
from .rates import Rate
from .transport import Transport

__all__ = ["Typist"]

TYPING_TIMEOUT = 2.0
"""A call that takes longer shows nothing that is still true."""
BURST, SECONDS = 4, 1.25
"""Typing has a bucket of its own, of five calls in five seconds; one is left for others."""


class Typist:
    """Calls `typing` beside the wait that it decorates; at most one call runs at a time."""

    def __init__(self, transport: Transport, pace: Pace, *, on: bool = True) -> None:
        self._transport = transport
        self._pace = pace
        self._on = on
        self._rate = Rate(BURST, SECONDS)
        self._call: asyncio.Task[None] | None = None

    async def show(self) -> None:
        """Begin a call, if one is of use, and come back at once."""
        now = self._pace.now()
        if not self._on or self._pace.hurried or self._call is not None or self._rate.pause(now):
            return
        self._rate.take(now)
        self._call = asyncio.create_task(self._ask())
        # It has begun before we go on: a channel without latency is done by then.
        await asyncio.sleep(0)

    async def rest(self) -> None:
        """End a call that still runs: a message follows, or the turn is over."""
        if self._call is not None:
            self._call.cancel()
            await asyncio.gather(self._call, return_exceptions=True)

    async def _ask(self) -> None:
        try:
            with suppress(DeliveryError, TimeoutError):
                async with asyncio.timeout(TYPING_TIMEOUT):
                    await self._transport.typing()
        finally:
            self._call = None
