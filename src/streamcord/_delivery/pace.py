"""Time as a turn knows it: a clock, waits that can be cut short, rates, and the typing indicator.

A rate limit is a leaky bucket: it holds `burst` requests and lets one drain every `seconds`. Whatever window
Discord really has is learnt from its headers, which are believed over our own count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

from .._errors import DeliveryError
from .transport import Transport

__all__ = ["Pace", "Rate", "Sleep", "TypingIndicator"]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class Pace:
    """The clock of a turn, and waits that end at once when somebody hurries it.

    Without a clock of its own, a given sleep is the only thing that makes time pass.
    """

    def __init__(self, sleep: Sleep | None = None, clock: Callable[[], float] | None = None) -> None:
        self._sleep = sleep or asyncio.sleep
        self._clock = clock
        if sleep is None and clock is None:
            self._clock = asyncio.get_running_loop().time
        self._slept = 0.0
        self._hurry = asyncio.Event()
        self.patience: float | None = None

    def now(self) -> float:
        """The time in seconds."""
        return self._clock() if self._clock else self._slept

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds, whatever happens."""
        await self._sleep(seconds)
        self._slept += seconds

    @property
    def hurried(self) -> bool:
        """Whether `hurry` was called."""
        return self._hurry.is_set()

    def hurry(self, patience: float | None = None) -> None:
        """End all waits, now and later; a request in flight may take `patience` seconds more, if given."""
        self.patience = patience if self.patience is None else self.patience
        self._hurry.set()

    async def wait(self, seconds: float) -> None:
        """Wait for so many seconds, or until the turn is hurried."""
        if not self.hurried and seconds > 0:
            await self.unless_hurried(self.sleep(seconds))

    async def unless_hurried(self, action: Coroutine[Any, Any, T]) -> T | None:
        """Run a coroutine; it is cancelled, and `None` returned, once the turn is hurried."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_hurried(doing)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def in_time(self, action: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; once the turn is hurried it has `patience` seconds left, then `TimeoutError`."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_hurried(doing)
            if not doing.done():
                await asyncio.wait({doing}, timeout=self.patience)
            if not doing.done():
                raise TimeoutError
            return doing.result()
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def _until_done_or_hurried(self, doing: asyncio.Future[Any]) -> None:
        hurried = asyncio.ensure_future(self._hurry.wait())
        try:
            await asyncio.wait({doing, hurried}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hurried.cancel()
            await asyncio.gather(hurried, return_exceptions=True)


class Rate:
    """A rate limit as a leaky bucket, corrected by what Discord says."""

    __slots__ = ("_at", "_level", "burst", "seconds")

    def __init__(self, burst: float, seconds: float) -> None:
        self.burst = burst
        self.seconds = seconds
        self._level = 0.0
        self._at = 0.0

    def pause(self, now: float) -> float:
        """Seconds until one more request is allowed; 0 means now."""
        over = self._settle(now) + 1 - self.burst
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(over * self.seconds, 6))

    def take(self, now: float) -> float:
        """Count one request; the seconds that it has to wait."""
        pause = self.pause(now)
        self._level += 1
        return pause

    def correct(self, level: float, seconds: float, now: float) -> None:
        """Set what Discord says: how many requests count now, and how long one of them counts."""
        self._level, self.seconds, self._at = level, seconds, now

    def _settle(self, now: float) -> float:
        if self.seconds > 0:
            self._level = max(0.0, self._level - (now - self._at) / self.seconds)
        self._at = now
        return self._level


TYPING_TIMEOUT = 2.0
"""A call that takes longer shows nothing that is still true."""
BURST, SECONDS = 4, 1.25
"""Typing has a bucket of its own, of five calls in five seconds; one is left for others."""


class TypingIndicator:
    """Shows that somebody types during a wait; never delays a message, and one call runs at a time."""

    def __init__(self, transport: Transport, pace: Pace, *, on: bool = True) -> None:
        self._transport = transport
        self._pace = pace
        self._on = on
        self._rate = Rate(BURST, SECONDS)
        self._call: asyncio.Task[None] | None = None

    async def show(self) -> None:
        """Start a call of `typing`, unless one runs or is of no use, and return at once."""
        now = self._pace.now()
        if not self._on or self._pace.hurried or self._call is not None or self._rate.pause(now):
            return
        self._rate.take(now)
        self._call = asyncio.create_task(self._ask())
        # It has begun before we go on: a channel without latency is done by then.
        await asyncio.sleep(0)

    async def rest(self) -> None:
        """Cancel a call that still runs, since a message follows or the turn is over."""
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
