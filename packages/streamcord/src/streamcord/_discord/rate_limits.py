"""Rate limits of a channel, of a webhook, and of the whole bot.

What is the theory behind this implementation? discord.py respects every bucket, but it sleeps inside the
request that used the bucket's last slot, and that sleep cannot be cut short. So we leave one slot of each
bucket free and wait in the sender, which can be expedited. Discord also allows at most 50 requests per second
for a whole bot (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit); no header shows
how many are left.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import weakref
from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from .._common.bounded_cache import BoundedCache
from .._delivery.clock import LeakyBucket
from .._exceptions import DeliveryError, NotAllowed, Unavailable
from .discord_internals import find_bucket, find_http

if TYPE_CHECKING:
    from .raw_http import Response

__all__ = [
    "ChannelLimit",
    "ClientLimits",
    "GlobalLimit",
    "RequestPriority",
    "WebhookLimit",
    "block_requests",
    "has_request_slot",
    "limits_of",
    "share_requests",
    "wait_for_request_slot",
]


class RequestPriority(IntEnum):
    """Which request goes out first when several wait."""

    FIRST = 0
    """The first message of an answer, which people wait for."""
    USUAL = 1
    COURTESY = 2
    """Requests that may be left out."""


class GlobalLimit:
    """The rate of all requests of a bot, and a queue of those that wait for it.

    Fair queueing: a request's turn is one after the last request of its server, and not before the current
    turn. So a busy server delays its own requests, not those of others.
    """

    def __init__(self, rate: LeakyBucket) -> None:
        self._rate = rate
        self._waiting: list[tuple[int, int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._worker: asyncio.Task[None] | None = None
        self._turns: dict[tuple[int, int], int] = {}
        self._turn = dict.fromkeys(RequestPriority, 0)

    @property
    def is_busy(self) -> bool:
        """Whether one more would have to wait."""
        return bool(self._waiting) or self._rate.pause(_now()) > 0

    async def wait(self, priority: RequestPriority = RequestPriority.USUAL, server: int = 0) -> None:
        """Wait until a request may go out; the more urgent first, then one of each server in turn."""
        if not self.is_busy:
            self._rate.take(_now())
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = max(self._turns.get((priority, server), 0), self._turn[priority]) + 1
        self._turns[priority, server] = turn
        heapq.heappush(self._waiting, (priority, turn, next(self._numbers), place))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._release())
        await place

    async def _release(self) -> None:
        while self._waiting:
            if pause := self._rate.pause(_now()):
                await asyncio.sleep(pause)
                continue
            priority, turn, _, place = heapq.heappop(self._waiting)
            # A request that was cancelled while waiting uses no slot.
            if not place.done():
                self._turn[RequestPriority(priority)] = turn
                self._rate.take(_now())
                place.set_result(None)
        self._turns.clear()

    def dismiss(self) -> None:
        """Notify all waiting requests; they check again whether requests may be sent at all."""
        waiting, self._waiting = self._waiting, []
        for *_, place in waiting:
            if not place.done():
                place.set_result(None)


def _now() -> float:
    return asyncio.get_running_loop().time()


KNOWN_CAP = 1000
"""Messages that a channel remembers as accounted for."""
CHANNEL_CAP = 10_000
"""Channels that are remembered; the one that was quiet longest is forgotten first."""
GLOBAL_BURST, GLOBAL_SECONDS = 5, 1 / 40
"""These at once, and one in each of these seconds: at most 45 in any second, the bot may need the rest."""


class ChannelLimit:
    """One channel: a lock, so that messages keep their order, and its rate limit as we know it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        # Five in five seconds, one of them left free, until a header says otherwise.
        self.rate = LeakyBucket(4, 1.0)
        # Messages that have receipts, of all turns: none of them is a lost one.
        self.known: BoundedCache[int, None] = BoundedCache(KNOWN_CAP)
        # Edits have a bucket as large, which may or may not be the same one.
        self.edits = LeakyBucket(4, 1.0)
        self.live_messages = 0
        """How many messages grow in this channel."""
        self.typing_until = 0.0
        """Until when people see the bot type; a message of its own ends that."""
        self._opens = 0.0

    def pause(self, now: float) -> float:
        """Seconds until the next message is allowed."""
        return max(self.rate.pause(now), round(self._opens - now, 6))

    def edit_pause(self, now: float) -> float:
        """Seconds until an edit is allowed that leaves a request for a new message."""
        return max(self.edits.pause(now), self.rate.pause(now, 2), round(self._opens - now, 6))

    def take_edit(self, now: float) -> None:
        """Count one edit."""
        self.edits.take(now)
        self.rate.take(now)

    def learn(self, http: Any, channel_id: int, now: float) -> None:  # noqa: ANN401
        """Take over what the headers of the last answer said, if it makes sense."""
        bucket = find_bucket(http, channel_id, now)
        if bucket is None:
            return
        self.rate.burst = bucket.limit - 1
        seconds = bucket.seconds / bucket.used if bucket.used else self.rate.seconds
        # Where no place is left, discord.py lets nothing through before the whole window is over.
        self._opens = now + bucket.seconds + 0.001 if bucket.used == bucket.limit else 0.0
        self.rate.correct(bucket.used, min(seconds, 60.0), now)


class ClientLimits:
    """All limits of one client: each channel's, that of all requests, and whether any may go out at all."""

    def __init__(self) -> None:
        self._global = GlobalLimit(LeakyBucket(GLOBAL_BURST, GLOBAL_SECONDS))
        self._channels: BoundedCache[int, ChannelLimit] = BoundedCache(
            CHANNEL_CAP, in_use=lambda channel: channel.lock.locked()
        )
        self._blocked: DeliveryError | None = None
        self._blocked_until = 0.0
        self._tell: Callable[[float, str], object] = lambda *_: None

    def share(self, rate: LeakyBucket, tell: Callable[[float, str], object]) -> None:
        """Count requests by this rate; `tell` is called when none may go out, for how long and why."""
        self._global = GlobalLimit(rate)
        self._tell = tell

    def channel(self, channel_id: int) -> ChannelLimit:
        """The limit of one channel."""
        return self._channels.find_or_make(channel_id, ChannelLimit)

    @property
    def is_busy(self) -> bool:
        """Whether one more request would have to wait, or none may go out at all."""
        blocked = self._blocked is not None and asyncio.get_running_loop().time() < self._blocked_until
        return blocked or self._global.is_busy

    async def wait(
        self, priority: RequestPriority = RequestPriority.USUAL, place: object | None = None
    ) -> None:
        """Wait until a request to a channel may go out at all; raises if none may."""
        self._check()
        await self._global.wait(priority, _server_of(place))
        # Another request may have been banned meanwhile.
        self._check()

    def _check(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._blocked is not None:
            if now < self._blocked_until:
                raise _again(self._blocked, self._blocked_until - now)
            self._blocked = None

    def block(self, error: DeliveryError, seconds: float) -> None:
        """Let no request through for so many seconds: each one would make it worse."""
        self._blocked = error
        self._blocked_until = asyncio.get_running_loop().time() + seconds
        self._global.dismiss()

    def unblock(self) -> None:
        """Let requests through again."""
        self._blocked = None

    def note_error(self, error: DeliveryError, status: int) -> DeliveryError:
        """Block all requests if the error says that Discord takes none any more; the error is returned."""
        if status == 401 and isinstance(error, NotAllowed):
            self.block(error, float("inf"))
            self._tell(float("inf"), str(error))
        elif status == 429 and isinstance(error, Unavailable) and error.retry_after is not None:
            self.block(error, error.retry_after)
            self._tell(error.retry_after, str(error))
        return error


def _server_of(place: object | None) -> int:
    """Who shares a turn: all channels of a server, or one conversation outside of servers."""
    guild = getattr(place, "guild", None)
    return int(getattr(guild, "id", 0) or getattr(place, "guild_id", 0) or getattr(place, "id", 0) or 0)


def _again(error: DeliveryError, left: float) -> DeliveryError:
    """A copy of the error: one that is raised twice would carry the wrong result."""
    if isinstance(error, Unavailable):
        return Unavailable(str(error), retry_after=left)
    return NotAllowed(str(error))


_LIMITS: weakref.WeakKeyDictionary[Any, ClientLimits] = weakref.WeakKeyDictionary()


def limits_of(http: Any | None) -> ClientLimits:  # noqa: ANN401
    """The limits of the client behind this HTTP side; without one, limits of their own."""
    return ClientLimits() if http is None else _LIMITS.setdefault(http, ClientLimits())


HIDDEN_COUNT, HIDDEN_SECONDS = 30, 60.0
EPISODE = 600.0
"""For so long after a hidden refusal the channel is paced."""
BAN = 60.0
"""Least pause after a page by Cloudflare: asking on makes its ban longer."""


class WebhookLimit:
    """How soon one channel's webhook may post again.

    Headers tell of 5 messages in 2 s per webhook. Another limit, 30 in 60 s per channel, shows in no header,
    only as a refusal while requests are left (https://github.com/discord/discord-api-docs/issues/367), so it
    is kept for a while once it was met.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._free_at = 0.0
        self._posted: deque[float] = deque(maxlen=HIDDEN_COUNT)
        self._paced_until = 0.0

    def pause(self) -> float:
        """Seconds until one more message is allowed."""
        now = self._clock()
        due = self._free_at
        if now < self._paced_until and len(self._posted) == HIDDEN_COUNT:
            due = max(due, self._posted[0] + HIDDEN_SECONDS)
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(due - now, 6))

    def note(self, answer: Response) -> None:
        """Learn from the answer to a message."""
        now = self._clock()
        if answer.status != 429:
            self._posted.append(now)
            if answer.headers.get("X-RateLimit-Remaining") == "0":
                self._wait(now, _number(answer.headers.get("X-RateLimit-Reset-After")))
            return
        banned = answer.is_from_cloudflare
        self._wait(now, max(answer.retry_after, BAN) if banned else answer.retry_after)
        if not banned and _number(answer.headers.get("X-RateLimit-Remaining")) > 0:
            self._paced_until = now + EPISODE

    def _wait(self, now: float, seconds: float) -> None:
        self._free_at = max(self._free_at, now + seconds)


def _number(header: str | None) -> float:
    """The number in a header; 0 if it is missing or makes no sense."""
    try:
        return min(max(0.0, float(header or "")), EPISODE)
    except ValueError:
        return 0.0


async def wait_for_request_slot(place: object, priority: RequestPriority = RequestPriority.USUAL) -> bool:
    """Wait until the client of a channel, message or interaction may send one more request.

    False if Discord takes no requests of this bot at the moment (after a ban, or with a wrong token).
    """
    try:
        await limits_of(find_http(place)).wait(priority, place)
    except DeliveryError:
        return False
    return True


def share_requests(client: object, rate: LeakyBucket | None, tell: Callable[[float, str], object]) -> None:
    """Let a client count its requests by this rate, which others share; without one it does not count.

    `tell` is called when Discord takes no requests of this bot, for how many seconds and why.
    """
    limits_of(getattr(client, "http", None)).share(rate or LeakyBucket(float("inf"), 0.0), tell)


def block_requests(client: object, seconds: float, reason: str) -> None:
    """Send no requests of this client for so many seconds, since another process was rate limited; 0 ends that."""
    limits = limits_of(getattr(client, "http", None))
    if seconds <= 0:
        limits.unblock()
    else:
        limits.block(Unavailable(reason, retry_after=seconds), seconds)


def has_request_slot(place: object) -> bool:
    """Whether a request could go out at once, without delaying others."""
    return not limits_of(find_http(place)).is_busy
