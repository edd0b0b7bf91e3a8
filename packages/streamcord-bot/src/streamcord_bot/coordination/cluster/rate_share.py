"""Share Discord's global rate limit among the members of a cluster.

Discord counts all requests of a token (https://docs.discord.com/developers/topics/rate-limits). Asking the
database before each request would be slow, so each member has a local quota: an equal part of half the rate. A
member that needs more acquires blocks of requests from the other half.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable

from streamcord import StoreError
from streamcord.databases import LeakyBucket

from .shard_plan import local_quota, shared_quota

BLOCK_REQUESTS = 5
"""Size of a block."""
MAX_AHEAD_S = 0.5
"""Blocks may be booked this far ahead; a member that needs more tries again a little later."""
BLOCK_LIFETIME_S = 0.5
"""Requests of a block that were not used for this long expire."""
SOLO_BURST = 4.0
"""Burst of a member that is alone; with others it is one request."""
RETRY_INTERVAL_S = 0.1

_log = logging.getLogger(__name__)

AcquireBlock = Callable[[int, float, float], Awaitable[float | None]]
"""Called with a count, a rate and how far ahead to book; returns the seconds until the requests are due."""


class SharedRate(LeakyBucket):
    """A leaky bucket that acquires blocks of the shared rate when its local quota is used up."""

    __slots__ = ("_acquire_block", "_clock", "_due", "_shared_rate", "_task", "blocks")

    def __init__(self, ask: AcquireBlock, clock: Callable[[], float]) -> None:
        super().__init__(0, math.inf)
        # Blocks acquired since the start, for metrics.
        self.blocks = 0
        self._acquire_block = ask
        self._clock = clock
        # When each acquired request may be sent.
        self._due: list[float] = []
        # The request for a block that is under way.
        self._task: asyncio.Task[None] | None = None
        self.set_members(1, is_new=True)

    def set_members(self, members: int, *, is_new: bool, known: int | None = None) -> None:
        """Adapt to the number of members.

        Args:
            members: members that share the rate now.
            is_new: whether some of them may not have seen us yet.
            known: members that all others have seen; all of them by default.

        """
        share = local_quota(members, is_new=is_new)
        burst = 1.0 if members > 1 else SOLO_BURST
        seconds = 1 / share if share else 3600.0
        if seconds < self.seconds:
            # Fewer members share the rate now: our blocks are part of the larger quota.
            self._due.clear()
        self.burst, self.seconds = burst if share else 0.0, seconds
        # Members that have not seen the newest ones still use larger local quotas.
        self._shared_rate = shared_quota(members if known is None else max(1, known))

    def pause(self, now: float, count: int = 1) -> float:
        """Return the seconds until `count` more requests are allowed; acquires a block if none are left."""
        own = super().pause(now, count)
        self._due = [due for due in self._due if now - due < BLOCK_LIFETIME_S]
        ready = [due for due in self._due if due <= now]
        if not own or len(ready) >= count:
            return 0.0
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._fetch())
        soonest = min((due - now for due in self._due if due > now), default=RETRY_INTERVAL_S)
        return min(own, max(soonest, 0.005))

    def take(self, now: float) -> float:
        """Count one request: from the local quota if possible, else from a block."""
        pause = self.pause(now)
        if super().pause(now) <= 0 or not self._due:
            self._level += 1
        else:
            self._due.remove(min(self._due))
        return pause

    async def _fetch(self) -> None:
        try:
            wait = await self._acquire_block(BLOCK_REQUESTS, self._shared_rate, MAX_AHEAD_S)
        except StoreError as error:
            _log.debug("acquiring requests of the shared rate failed: %s", error)
            wait = None
        if wait is None:
            await asyncio.sleep(RETRY_INTERVAL_S)
            return
        self.blocks += 1
        due = self._clock() + wait
        # Spread over time, as they were paid for.
        self._due += [due + number / self._shared_rate for number in range(BLOCK_REQUESTS)]
