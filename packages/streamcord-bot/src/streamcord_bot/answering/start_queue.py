"""Let answers start one after the other when many are asked for at the same moment.

Without it, a thousand questions would all be planned before the first of them is answered: everybody would wait for
everybody's plan. With it, the first answers are being written while the last ones are still waiting to start.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["StartQueue"]

START_SLOTS = 16
"""Answers that start at the same time."""
MAX_HOLD_S = 0.25
"""A start that takes longer lets others start: it waits for Discord, and not for the processor."""


class StartQueue:
    """Hands out slots for starting an answer, in the order in which they were asked for."""

    def __init__(self, slots: int = START_SLOTS, max_hold_s: float = MAX_HOLD_S) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._max_hold_s = max_hold_s

    @property
    def is_full(self) -> bool:
        """Whether another start would have to wait."""
        return self._slots.locked()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it while the block runs, but not longer than `max_hold_s`."""
        await self._slots.acquire()
        timer = asyncio.get_running_loop().call_later(self._max_hold_s, self._slots.release)
        due = timer.when()
        try:
            yield
        finally:
            # A timer that is due has released the slot, or is about to.
            if asyncio.get_running_loop().time() < due and not timer.cancelled():
                timer.cancel()
                self._slots.release()
