"""Time for delivery: a clock whose waits can be cut short."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
"""A function that waits for a number of seconds, like `asyncio.sleep`."""

T = TypeVar("T")


class DeliveryClock:
    """The clock of a turn, with waits that end as soon as the turn is expedited.

    If only `sleep` is given, time advances by the slept seconds alone. Tests use that.
    """

    def __init__(self, sleep: Sleep | None = None, clock: Callable[[], float] | None = None) -> None:
        self._sleep = sleep or asyncio.sleep
        self._clock = clock
        if sleep is None and clock is None:
            self._clock = asyncio.get_running_loop().time
        # Seconds slept so far; the time itself if there is no clock.
        self._slept = 0.0
        # Set by `expedite`.
        self._expedited = asyncio.Event()
        self.in_flight_timeout: float | None = None

    def now(self) -> float:
        """The time in seconds."""
        return self._clock() if self._clock else self._slept

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`, also if the turn is expedited."""
        await self._sleep(seconds)
        self._slept += seconds

    @property
    def expedited(self) -> bool:
        """Whether `expedite` was called."""
        return self._expedited.is_set()

    def expedite(self, timeout: float | None = None) -> None:
        """End all waits, now and later; a request in flight may take `timeout` seconds more, if given."""
        self.in_flight_timeout = timeout if self.in_flight_timeout is None else self.in_flight_timeout
        self._expedited.set()

    async def wait(self, seconds: float) -> None:
        """Wait for `seconds`, or until the turn is expedited."""
        if not self.expedited and seconds > 0:
            await self.unless_expedited(self.sleep(seconds))

    async def unless_expedited(self, action: Coroutine[Any, Any, T]) -> T | None:
        """Run a coroutine; cancel it and return `None` once the turn is expedited."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_expedited(doing)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def with_deadline(self, action: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; once the turn is expedited it has `timeout` seconds left, then `TimeoutError`."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_expedited(doing)
            if not doing.done():
                await asyncio.wait({doing}, timeout=self.in_flight_timeout)
            if not doing.done():
                raise TimeoutError
            return doing.result()
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def _until_done_or_expedited(self, doing: asyncio.Future[Any]) -> None:
        expedited = asyncio.ensure_future(self._expedited.wait())
        try:
            await asyncio.wait({doing, expedited}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            expedited.cancel()
            await asyncio.gather(expedited, return_exceptions=True)
