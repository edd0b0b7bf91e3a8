"""The twin's time: real, scaled, adjustable while it runs, or driven by a test.

Everything in the twin that waits or expires (rate windows, nonces, interaction deadlines, delayed answers)
asks one clock. Clients live in their own time, so the clock also says how long a wait is *to them*: a twin
that runs 100 times faster tells an unchanged client to wait a hundredth of each rate window.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_SPEED", "AdjustableClock", "Clock", "DrivenClock", "RealClock", "ScaledClock"]

MAX_SPEED = 10_000.0
"""Times real time that an adjustable clock runs at most."""
MAX_AHEAD_S = 20 * 365 * 86_400.0
"""Seconds that an adjustable clock may be moved in all: ids of messages hold the time in 42 bits."""


class Clock(Protocol):
    """Protocol: the time source of a twin; all values are seconds.

    Example:
        def half_an_hour_later(clock: Clock) -> float:
            return clock.now() + 1800

    """

    def now(self) -> float:
        """Return twin time since 1970."""

    def wall(self) -> float:
        """Return the time of day that clients believe in, for `X-RateLimit-Reset`."""

    def to_client_seconds(self, seconds: float) -> float:
        """Convert a wait in twin seconds to the seconds that a client must wait."""

    async def sleep(self, seconds: float) -> None:
        """Wait for twin seconds."""


class RealClock:
    """Time as it passes.

    Args:
        monotonic: The clock to follow; `loop.time` makes the twin follow a loop whose time is virtual.

    Example:
        twin = Twin(clock=RealClock(asyncio.get_running_loop().time))

    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        # Maps the monotonic clock to the time of day, once: the system clock may jump later.
        self._offset = time.time() - monotonic()

    def now(self) -> float:
        """Return time that never runs backwards, whatever the system clock does."""
        return self._monotonic() + self._offset

    wall = now

    def to_client_seconds(self, seconds: float) -> float:
        """Tell clients the wait as it is."""
        return seconds

    async def sleep(self, seconds: float) -> None:
        """Wait in the event loop's time."""
        await asyncio.sleep(seconds)


class ScaledClock:
    """Twin time that runs faster than real time.

    Clients that we did not write sleep in real seconds, so waits are converted for them.

    Args:
        factor: How many twin seconds pass in one real second.
        clients_scaled: Whether the client under test waits on this very clock.

    Raises:
        ValueError: The factor is not positive.

    Example:
        twin = Twin(clock=ScaledClock(100))

    """

    def __init__(self, factor: float, *, clients_scaled: bool = False) -> None:
        if factor <= 0:
            raise ValueError("factor must be greater than 0")
        self.factor = factor
        # Whether clients wait on this clock instead of in real time.
        self._clients_scaled = clients_scaled
        self._real = RealClock()
        # Twin time and real time are equal at this moment.
        self._start = self._real.now()

    def now(self) -> float:
        """Return twin time: the start plus the scaled time since then."""
        return self._start + (self._real.now() - self._start) * self.factor

    def wall(self) -> float:
        """Return the time that the clients live in."""
        return self.now() if self._clients_scaled else self._real.now()

    def to_client_seconds(self, seconds: float) -> float:
        """Return real seconds, unless the clients wait on this clock too."""
        return seconds if self._clients_scaled else seconds / self.factor

    async def sleep(self, seconds: float) -> None:
        """Wait for the real time that the twin seconds take."""
        await asyncio.sleep(seconds / self.factor)


class AdjustableClock:
    """Real time that can be moved forward and made faster while a twin runs; the command `discord-twin` uses it.

    Example:
        clock = AdjustableClock()
        async with Twin(clock=clock) as twin:
            clock.advance(900)  # every interaction has expired

    """

    def __init__(self) -> None:
        self._real = RealClock()
        # Twin time and real time when the speed was last changed.
        self._twin_start = self._real_start = self._real.now()
        self._speed = 1.0
        self.advanced = 0.0
        """Seconds that it was moved forward in all."""
        # Replaced at every change, so that tasks that sleep look again.
        self._changed = asyncio.Event()

    @property
    def speed(self) -> float:
        """How many twin seconds pass in a real second."""
        return self._speed

    def now(self) -> float:
        """Return twin time."""
        return self._twin_start + (self._real.now() - self._real_start) * self._speed

    def wall(self) -> float:
        """Return real time: clients do not know that time was moved."""
        return self._real.now()

    def to_client_seconds(self, seconds: float) -> float:
        """Return the real seconds that the twin seconds take."""
        return seconds / self._speed

    def advance(self, seconds: float) -> None:
        """Move time forward.

        Raises:
            ValueError: The number is negative or no number, or the clock would be too far in the future.

        """
        if not 0 <= seconds <= MAX_AHEAD_S - self.advanced:
            raise ValueError("time moves forward only, and by 20 years in all")
        self.advanced += seconds
        self._restart(self._speed, seconds)

    def set_speed(self, speed: float) -> None:
        """Make time run faster or slower from now on.

        Raises:
            ValueError: The speed is no number between 0.001 and 10 000.

        """
        if not 0.001 <= speed <= MAX_SPEED:
            raise ValueError(f"the speed is between 0.001 and {MAX_SPEED:g}")
        self._restart(speed, 0.0)

    def _restart(self, speed: float, jump: float) -> None:
        self._twin_start, self._real_start = self.now() + jump, self._real.now()
        self._speed = speed
        self._changed.set()
        self._changed = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait for twin seconds; a change of the clock is taken into account at once."""
        end = self.now() + seconds
        while (left := end - self.now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left / self._speed):
                    await self._changed.wait()


class DrivenClock:
    """Time that only moves when a test advances it.

    Args:
        start: The time at first, in seconds since 1970.

    Example:
        clock = DrivenClock()
        async with Twin(clock=clock) as twin:
            interaction = twin.slash("ask", question="why")
            await clock.advance(900)  # the interaction has expired

    """

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._now = start
        # Breaks ties in the heap, because futures cannot be compared.
        self._order = itertools.count()
        # Heap of (due time, order, future) of the tasks that sleep.
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        """Return the time that the test has reached."""
        return self._now

    wall = now

    def to_client_seconds(self, seconds: float) -> float:
        """Tell clients the wait as it is."""
        return seconds

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved time that far."""
        if seconds <= 0:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self._now + seconds, next(self._order), future))
        await future

    async def advance(self, seconds: float) -> None:
        """Move time and let the tasks that sleep continue, in order of their due time."""
        end = self._now + seconds
        while self._waiting and self._waiting[0][0] <= end:
            due, _, future = heapq.heappop(self._waiting)
            self._now = max(self._now, due)
            # A task that was cancelled while it slept has finished its future already.
            if not future.done():
                future.set_result(None)
            await asyncio.sleep(0)  # let the woken task sleep again before time moves on
        self._now = end

    def jump(self, seconds: float) -> None:
        """Move time when no task sleeps, or when none should be woken in between."""
        self._now += seconds
