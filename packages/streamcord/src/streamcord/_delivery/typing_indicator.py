"""Show "… is typing" in the channel while the next message is being prepared.

Discord shows the indicator for ten seconds per request, and a message ends it
(https://docs.discord.com/developers/resources/channel#trigger-typing-indicator).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from .._exceptions import DeliveryError
from .clock import DeliveryClock
from .leaky_bucket import LeakyBucket
from .retry import call_async
from .transport import Transport

TYPING_REFRESH_S = 8.0
"""Seconds between two requests of one wait; Discord shows typing for ten seconds."""
TYPING_TIMEOUT_S = 2.0
"""A request that takes longer is cancelled, because it would show typing too late."""
TYPING_BURST, TYPING_INTERVAL_S = 4, 1.25
"""Typing has its own rate limit of five requests in five seconds; one is left for other code."""


TYPING_PAUSE_S = 60.0
"""Seconds between two requests for short waits; longer waits show typing anyway."""


class TypingIndicator:
    """Show typing during a wait; requests run in the background, one at a time."""

    def __init__(self, transport: Transport, clock: DeliveryClock, *, on: bool = True) -> None:
        self._transport = transport
        self._clock = clock
        self._on = on
        self._rate = LeakyBucket(TYPING_BURST, TYPING_INTERVAL_S)
        # The request in flight, if any.
        self._call: asyncio.Task[None] | None = None
        # Time of the last request.
        self._shown = -TYPING_PAUSE_S

    @property
    def is_fresh(self) -> bool:
        """Whether it was not shown within the last `TYPING_PAUSE_S`."""
        return self._clock.now() - self._shown >= TYPING_PAUSE_S

    async def show(self) -> None:
        """Start a request in the background, unless one runs or the rate limit forbids it."""
        now = self._clock.now()
        if not self._on or self._clock.expedited or self._call is not None or self._rate.pause(now):
            return
        self._rate.take(now)
        self._shown = now
        self._call = asyncio.create_task(self._request())
        # Let the task start, so that a transport without latency finishes at once.
        await asyncio.sleep(0)

    async def cancel(self) -> None:
        """Cancel a request that still runs, because a message follows or the turn has ended."""
        if self._call is not None:
            self._call.cancel()
            await asyncio.gather(self._call, return_exceptions=True)

    async def _request(self) -> None:
        try:
            with suppress(DeliveryError, TimeoutError):
                async with asyncio.timeout(TYPING_TIMEOUT_S):
                    await call_async(self._transport.typing)
        finally:
            self._call = None
