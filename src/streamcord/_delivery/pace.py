"""Time as a turn knows it: how late it is, how to wait, and that somebody may be in a hurry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

__all__ = ["Pace", "Sleep"]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class Pace:
    """A clock and a sleep that belong together, and a hurry that ends every wait.

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
        """How late it is."""
        return self._clock() if self._clock else self._slept

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        await self._sleep(seconds)
        self._slept += seconds

    @property
    def hurried(self) -> bool:
        """Whether somebody is in a hurry."""
        return self._hurry.is_set()

    def hurry(self, patience: float | None = None) -> None:
        """From now on nothing waits; what is in flight may take `patience` seconds more, if that is said."""
        self.patience = patience if self.patience is None else self.patience
        self._hurry.set()

    async def wait(self, seconds: float) -> None:
        """Let time pass, unless or until somebody is in a hurry."""
        if not self.hurried and seconds > 0:
            await self.unless_hurried(self.sleep(seconds))

    async def unless_hurried(self, action: Coroutine[Any, Any, T]) -> T | None:
        """Do it, unless or until somebody is in a hurry."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_hurried(doing)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def in_time(self, action: Coroutine[Any, Any, T]) -> T:
        """Do it; `TimeoutError` once somebody in a hurry has waited as long as there is patience."""
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
