"""Requests that all members of a cluster send together: a part of one's own, and blocks of what all share.

Discord counts all requests of a token (https://docs.discord.com/developers/topics/rate-limits). Asking the
database for each would cost more than it saves, so everybody has an equal part of half the rate without
asking. Whoever needs more takes blocks out of the other half.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable

from streamcord import StoreError
from streamcord.databases import LeakyBucket

from .shard_plan import local_quota, shared_quota

__all__ = ["BLOCK", "SharedRate", "TakeBlock"]

BLOCK = 5
"""Requests that are asked for at once."""
AHEAD = 0.5
"""Seconds that blocks may be booked ahead; a member that asks for more looks again a little later."""
LIFE = 0.5
"""Seconds after which a block that was not used is worth nothing."""
BURST = 4.0
"""Requests that who is alone may send at once besides its rate; with others it is one."""
RETRY = 0.1

_log = logging.getLogger("streamcord")

TakeBlock = Callable[[int, float, float], Awaitable[float | None]]
"""Takes so many requests at this rate, so far ahead at most; seconds until they are due."""


class SharedRate(LeakyBucket):
    """A rate that asks for more when its own part is used up."""

    __slots__ = ("_ask", "_clock", "_due", "_task", "_together", "blocks")

    def __init__(self, ask: TakeBlock, clock: Callable[[], float]) -> None:
        super().__init__(0, math.inf)
        self.blocks = 0
        """Blocks that were taken."""
        self._ask = ask
        self._clock = clock
        self._due: list[float] = []
        self._task: asyncio.Task[None] | None = None
        self.set_members(1, is_new=True)

    def set_members(self, members: int, *, is_new: bool, known: int | None = None) -> None:
        """So many share the rate now, of whom so many are `known` to everybody: all, if not given."""
        share = local_quota(members, is_new=is_new)
        burst = 1.0 if members > 1 else BURST
        seconds = 1 / share if share else 3600.0
        if seconds < self.seconds:
            # Of what fewer share from now on, this was a part.
            self._due.clear()
        self.burst, self.seconds = burst if share else 0.0, seconds
        # Others may still think that they are fewer, and have larger parts of their own.
        self._together = shared_quota(members if known is None else max(1, known))

    def pause(self, now: float, count: int = 1) -> float:
        """Seconds until so many more requests are allowed; asks for a block if there is nothing left."""
        own = super().pause(now, count)
        self._due = [due for due in self._due if now - due < LIFE]
        ready = [due for due in self._due if due <= now]
        if not own or len(ready) >= count:
            return 0.0
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._fetch())
        soonest = min((due - now for due in self._due if due > now), default=RETRY)
        return min(own, max(soonest, 0.005))

    def take(self, now: float) -> float:
        """Count one request: of one's own part if there is any, else of a block."""
        pause = self.pause(now)
        if super().pause(now) <= 0 or not self._due:
            self._level += 1
        else:
            self._due.remove(min(self._due))
        return pause

    async def _fetch(self) -> None:
        try:
            wait = await self._ask(BLOCK, self._together, AHEAD)
        except StoreError as error:
            _log.debug("no requests can be asked for: %s", error)
            wait = None
        if wait is None:
            await asyncio.sleep(RETRY)
            return
        self.blocks += 1
        due = self._clock() + wait
        # One after the other, as they were paid for.
        self._due += [due + number / self._together for number in range(BLOCK)]
