"""The rate of all requests of a bot: who goes first when several wait.

Discord allows a bot 50 requests per second over all routes, and no header shows how many are left
(https://docs.discord.com/developers/topics/rate-limits#global-rate-limit). When a thousand people ask at once,
everything waits for this rate. Then the order decides what people see: first words go before the reads of other
answers, both before later messages, and these before edits and buttons. The typing indicator is left out.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

from .._delivery.leaky_bucket import LeakyBucket

GLOBAL_BURST, GLOBAL_INTERVAL_S = 3, 1 / 42
"""Requests at once, and seconds per further request: at most 45 in any second.

Requests that leave within 1.1 s may arrive within one second, and then they are 49; the bot itself needs the rest.
"""
OVERDUE_S = 15.0
"""A request that waits longer gets every second slot, so that urgent ones cannot hold it back for ever."""
TYPING_RESERVE = 2
"""Slots that must be free for a typing indicator: it must not delay the message that follows."""


class RequestPriority(IntEnum):
    """Which request is sent first when several wait.

    Example:
        await wait_for_request_slot(channel, RequestPriority.COURTESY)

    """

    FIRST = 0
    """The first message of an answer, which people wait for."""
    CONTEXT = 1
    """Reads that a first message waits for, such as the history of a channel."""
    USUAL = 2
    """All other messages."""
    EDIT = 3
    """Edits of a live message."""
    COURTESY = 4
    """Requests that may be late, such as changes of buttons."""
    TYPING = 5
    """The typing indicator: it never waits, it is left out."""


@dataclass(frozen=True, slots=True)
class RequestFigures:
    """How many requests of one priority were sent, are waiting, and were left out.

    Example:
        for priority, figures in find_request_figures(client).items():
            print(priority.name, figures.sent, figures.waiting)

    """

    sent: int = 0
    waiting: int = 0
    left_out: int = 0


@dataclass(order=True, slots=True)
class _Waiting:
    """A request in the queue of its priority, ordered by its turn."""

    turn: int
    number: int
    """Breaks ties between requests of the same turn."""
    since: float
    slot: asyncio.Future[None]


class GlobalLimit:
    """The rate of all requests of a bot, and a queue of those that wait for it.

    Fair queueing: a request's turn is one after the last request of its server, and not before the current
    turn. So a busy server delays its own requests, not those of others.
    """

    def __init__(self, rate: LeakyBucket) -> None:
        self._rate = rate
        # One heap of waiting requests per priority, the most urgent priority first.
        self._queues: dict[RequestPriority, list[_Waiting]] = {one: [] for one in RequestPriority}
        self._numbers = itertools.count()
        # Releases waiting requests while there are any.
        self._worker: asyncio.Task[None] | None = None
        # Turn of the last request of each priority and server.
        self._turns: dict[tuple[int, int], int] = {}
        # Turn of the last released request of each priority.
        self._turn = dict.fromkeys(RequestPriority, 0)
        # Whether the last slot went to a request that was overdue.
        self._was_overdue = False
        self._sent: Counter[RequestPriority] = Counter()
        self._left_out: Counter[RequestPriority] = Counter()

    @property
    def is_busy(self) -> bool:
        """Whether another request would have to wait."""
        return self._has_queue or self._rate.pause(_now()) > 0

    @property
    def _has_queue(self) -> bool:
        return any(self._queues.values())

    @property
    def figures(self) -> dict[RequestPriority, RequestFigures]:
        """What became of the requests so far, by priority."""
        return {
            one: RequestFigures(self._sent[one], len(self._queues[one]), self._left_out[one])
            for one in RequestPriority
        }

    def take_if_idle(self, priority: RequestPriority) -> bool:
        """Take a slot if that delays no other request; else the request must be left out."""
        now = _now()
        if self._has_queue or self._rate.pause(now, TYPING_RESERVE) > 0:
            self._left_out[priority] += 1
            return False
        self._take(priority, now)
        return True

    async def wait(self, priority: RequestPriority = RequestPriority.USUAL, server: int = 0) -> None:
        """Wait until a request may go out; the more urgent first, then one of each server in turn."""
        now = _now()
        if not self.is_busy:
            self._take(priority, now)
            return
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = max(self._turns.get((priority, server), 0), self._turn[priority]) + 1
        self._turns[priority, server] = turn
        heapq.heappush(self._queues[priority], _Waiting(turn, next(self._numbers), now, slot))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._release())
        await slot

    def _take(self, priority: RequestPriority, now: float) -> None:
        self._rate.take(now)
        self._sent[priority] += 1

    async def _release(self) -> None:
        while self._has_queue:
            if pause := self._rate.pause(_now()):
                await asyncio.sleep(pause)
                continue
            now = _now()
            priority = self._choose(now)
            waiting = heapq.heappop(self._queues[priority])
            # A request that was cancelled while waiting uses no slot.
            if not waiting.slot.done():
                self._turn[priority] = waiting.turn
                self._take(priority, now)
                waiting.slot.set_result(None)
        self._turns.clear()

    def _choose(self, now: float) -> RequestPriority:
        """Return the priority whose first request is next."""
        queues = [one for one in RequestPriority if self._queues[one]]
        overdue = [one for one in queues[1:] if now - self._queues[one][0].since > OVERDUE_S]
        self._was_overdue = bool(overdue) and not self._was_overdue
        return overdue[0] if self._was_overdue else queues[0]

    def dismiss(self) -> None:
        """Notify all waiting requests; they check again whether requests may be sent at all."""
        waiting = [one for queue in self._queues.values() for one in queue]
        for queue in self._queues.values():
            queue.clear()
        for one in waiting:
            if not one.slot.done():
                one.slot.set_result(None)


def _now() -> float:
    return asyncio.get_running_loop().time()
