"""Lanes: one message at a time in each channel, and how soon Discord takes the next one.

discord.py never runs into a bucket, but it sleeps inside the request that used its last place, and nobody can
wake it. So one place of each bucket is left free, and the waiting is done by the courier, who can be hurried.
All requests together keep below fifty in a second (https://docs.discord.com/developers/topics/rate-limits),
which no header shows.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import OrderedDict
from typing import Any

from .._cache import Recent
from .._delivery.rates import Rate
from .._errors import DeliveryError, NotAllowed, Unavailable
from .global_limit import Rank, Turnstile
from .library_internals import find_bucket

__all__ = ["Lane", "Office", "find_office"]

KNOWN_CAP = 1000
"""Messages that a channel remembers as accounted for."""
LANE_CAP = 10_000
"""Channels that are remembered; the one that was quiet longest is forgotten first."""
GLOBAL_BURST, GLOBAL_SECONDS = 5, 1 / 40
"""These at once, and one in each of these seconds: at most 45 in any second, the bot may need the rest."""


class Lane:
    """One channel: its lock, and its bucket as we know it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        # Five in five seconds, one of them left free, until a header says otherwise.
        self.rate = Rate(4, 1.0)
        # Messages that have receipts, of all turns: none of them is one that somebody lost.
        self.known: Recent[int, None] = Recent(KNOWN_CAP)
        self._opens = 0.0

    def pause(self, now: float) -> float:
        """Seconds until the next message is welcome."""
        return max(self.rate.pause(now), round(self._opens - now, 6))

    def learn(self, http: Any, channel_id: int, now: float) -> None:  # noqa: ANN401
        """Believe the headers of the last answer, if they make sense."""
        bucket = find_bucket(http, channel_id, now)
        if bucket is None:
            return
        self.rate.burst = bucket.limit - 1
        seconds = bucket.seconds / bucket.used if bucket.used else self.rate.seconds
        # Where no place is left, discord.py lets nothing through before the whole window is over.
        self._opens = now + bucket.seconds + 0.001 if bucket.used == bucket.limit else 0.0
        self.rate.correct(bucket.used, min(seconds, 60.0), now)


class Office:
    """All lanes of one client, the rate of all its requests, and whether Discord has shut its door."""

    def __init__(self) -> None:
        self._turnstile = Turnstile(Rate(GLOBAL_BURST, GLOBAL_SECONDS))
        self._lanes: OrderedDict[int, Lane] = OrderedDict()
        self._shut: DeliveryError | None = None
        self._shut_until = 0.0

    def lane(self, channel_id: int) -> Lane:
        """The lane of a channel."""
        lane = self._lanes.setdefault(channel_id, Lane())
        self._lanes.move_to_end(channel_id)
        if len(self._lanes) > LANE_CAP:
            oldest = next(iter(self._lanes))
            if not self._lanes[oldest].lock.locked():
                del self._lanes[oldest]
        return lane

    @property
    def is_busy(self) -> bool:
        """Whether one more request would have to wait, or none may go out at all."""
        shut = self._shut is not None and asyncio.get_running_loop().time() < self._shut_until
        return shut or self._turnstile.is_busy

    async def admit(self, rank: Rank = Rank.USUAL) -> None:
        """Wait until a request may go out at all; raises if none may."""
        now = asyncio.get_running_loop().time()
        if self._shut is not None:
            if now < self._shut_until:
                raise _again(self._shut, self._shut_until - now)
            self._shut = None
        await self._turnstile.enter(rank)

    def shut(self, error: DeliveryError, seconds: float) -> None:
        """Let nothing through for a while: each further request would make it worse."""
        self._shut = error
        self._shut_until = asyncio.get_running_loop().time() + seconds

    def judge(self, error: DeliveryError, status: int) -> DeliveryError:
        """The error, after the door was shut if it says that nobody is welcome."""
        if status == 401 and isinstance(error, NotAllowed):
            self.shut(error, float("inf"))
        elif status == 429 and isinstance(error, Unavailable) and error.retry_after is not None:
            self.shut(error, error.retry_after)
        return error


def _again(error: DeliveryError, left: float) -> DeliveryError:
    """The same news for somebody else: an error that is raised twice would carry the wrong result."""
    if isinstance(error, Unavailable):
        return Unavailable(str(error), retry_after=left)
    return NotAllowed(str(error))


_OFFICES: weakref.WeakKeyDictionary[Any, Office] = weakref.WeakKeyDictionary()


def find_office(http: Any | None) -> Office:  # noqa: ANN401
    """The office of a client; a place without one has its own."""
    return Office() if http is None else _OFFICES.setdefault(http, Office())
