"""Decide when "… is typing" is shown, renewed and ended while the next message is being prepared.

Discord shows the indicator for ten seconds per request, and a message ends it
(https://docs.discord.com/developers/resources/channel#trigger-typing-indicator).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
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
FIRST_TYPING_AFTER_S = 0.5
"""Show typing if the first message is not ready after this many seconds."""
MIN_TYPING_WAIT_S = 3.0
"""After a message, do not show typing for waits shorter than this."""


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

    async def show_while(self, wait: Callable[[float | None], Awaitable[bool]], *, first: bool) -> None:
        """Wait for something of unknown length, and show typing while it takes long.

        Args:
            wait: waits for at most this many seconds, for any time if `None`; returns whether the wait is over.
            first: whether the wait is for the first message.

        """
        seconds = FIRST_TYPING_AFTER_S if first else MIN_TYPING_WAIT_S
        while not await wait(seconds if self._on and not self._clock.expedited else None):
            await self.show()
            seconds = TYPING_REFRESH_S

    async def wait_until(self, due: float, *, first: bool) -> None:
        """Wait until this time or until the turn is expedited, and show typing if the wait is long enough.

        Args:
            due: end of the wait, by the clock of the turn.
            first: whether the wait is for the first message, where every wait is long enough.

        """
        # Shown before every message, it would say nothing any more.
        was_shown_lately = self._clock.now() - self._shown < TYPING_PAUSE_S
        long_enough = TYPING_REFRESH_S if was_shown_lately else MIN_TYPING_WAIT_S
        shows_typing = first or self._seconds_until(due) >= long_enough
        while not self._clock.expedited and self._seconds_until(due):
            if shows_typing:
                await self.show()
            # Computed again, because the call of the indicator took a part of the wait.
            await self._clock.wait(min(self._seconds_until(due), TYPING_REFRESH_S))

    def _seconds_until(self, due: float) -> float:
        # Rounded, because float errors would otherwise leave waits of almost zero seconds.
        return max(0.0, round(due - self._clock.now(), 6))

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
