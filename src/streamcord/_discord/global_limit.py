"""Lets requests through at a steady rate, the more urgent ones first.

Discord takes fifty requests of a bot in a second, whatever they are for. When more want to go, somebody who
waits for the first word of an answer goes before the next line of another one, and a courtesy is left out.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from enum import IntEnum

from .._delivery.rates import Rate

__all__ = ["Rank", "Turnstile"]


class Rank(IntEnum):
    """Who goes first."""

    FIRST = 0
    """Somebody waits for the first message of an answer."""
    USUAL = 1
    COURTESY = 2
    """Nobody would miss it."""


class Turnstile:
    """A rate, and a queue in front of it."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._worker: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether one more would have to wait."""
        return bool(self._waiting) or self._rate.pause(_now()) > 0

    async def enter(self, rank: Rank = Rank.USUAL) -> None:
        """Wait for a place; among those who wait the rank counts, then who came first."""
        if not self.is_busy:
            self._rate.take(_now())
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._numbers), place))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._let_in())
        await place

    async def _let_in(self) -> None:
        while self._waiting:
            if pause := self._rate.pause(_now()):
                await asyncio.sleep(pause)
                continue
            *_, place = heapq.heappop(self._waiting)
            # Who was cancelled while waiting takes no place.
            if not place.done():
                self._rate.take(_now())
                place.set_result(None)


def _now() -> float:
    return asyncio.get_running_loop().time()
