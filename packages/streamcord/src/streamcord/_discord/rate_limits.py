"""Rate limits of a channel and of the whole bot; those of webhooks are in `webhooks/rate_limits.py`.

Theory: discord.py respects every bucket, but it sleeps inside the
request that used the bucket's last slot, and that sleep cannot be cut short. So we leave one slot of each
bucket free and wait in the sender, which can be expedited. The rate of the whole bot is in `global_rate_limit.py`.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import discord
from discord.http import Route

from .._common.bounded_cache import BoundedCache
from .._delivery.leaky_bucket import LeakyBucket
from .._exceptions import DeliveryError, DeliveryUnavailable, NotAllowed
from .discord_internals import find_bucket, find_http
from .global_rate_limit import GLOBAL_BURST, GLOBAL_INTERVAL_S, GlobalLimit, RequestFigures, RequestPriority


def _now() -> float:
    return asyncio.get_running_loop().time()


MAX_KNOWN_MESSAGES = 1000
"""Messages that a channel remembers as accounted for."""
MAX_CHANNELS = 10_000
"""Channels that are remembered; the least recently used one is forgotten first."""


class ChannelLimit:
    """One channel: a lock, so that messages keep their order, and its rate limit as we know it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        # Five in five seconds, one of them left free, until a header says otherwise.
        self.rate = LeakyBucket(4, 1.0)
        # Messages of all turns that have receipts, so that the search for a lost one skips them.
        self.known: BoundedCache[int, None] = BoundedCache(MAX_KNOWN_MESSAGES)
        self.newest_id = 0
        """The newest message that has a receipt: what is sent next has a larger id."""
        # Edits have a bucket of the same size; whether it is the same one is not documented.
        self.edits = LeakyBucket(4, 1.0)
        self.live_messages = 0
        """Number of live messages in this channel."""
        self.typing_until = 0.0
        """Time until which the typing indicator is visible; a message of the bot ends it."""
        # Time before which discord.py would block, because the bucket is empty.
        self._opens = 0.0

    def confirm(self, message_id: int) -> None:
        """Record that a message has a receipt."""
        self.known.keep(message_id, None)
        self.newest_id = max(self.newest_id, message_id)

    def pause(self, now: float) -> float:
        """Return the seconds until the next message is allowed."""
        return max(self.rate.pause(now), round(self._opens - now, 6))

    def edit_pause(self, now: float) -> float:
        """Return the seconds until an edit is allowed that leaves one request for a new message."""
        return max(self.edits.pause(now), self.rate.pause(now, 2), round(self._opens - now, 6))

    def take_edit(self, now: float) -> None:
        """Count one edit."""
        self.edits.take(now)
        self.rate.take(now)

    def learn(self, http: Any, channel_id: int, now: float) -> None:  # noqa: ANN401
        """Adopt the numbers in the headers of the last response, if they are plausible."""
        bucket = find_bucket(http, channel_id, now)
        if bucket is None:
            return
        self.rate.burst = bucket.limit - 1
        seconds = bucket.seconds / bucket.used if bucket.used else self.rate.seconds
        # If no slot is left, discord.py blocks until the whole window is over.
        self._opens = now + min(bucket.seconds, 60.0) + 0.001 if bucket.used == bucket.limit else 0.0
        self.rate.correct(bucket.used, min(seconds, 60.0), now)


@dataclass(frozen=True, slots=True)
class RequestBlock:
    """Why Discord accepts no request of a bot now.

    Args:
        seconds: For how much longer; infinite for a wrong token.
        reason: Why, in words.

    Example:
        if block := find_block(client):
            print(f"no requests for {block.seconds:.0f} s: {block.reason}")

    """

    seconds: float
    reason: str


class ClientLimits:
    """All limits of one client: per channel, global, and a block of all requests."""

    def __init__(self) -> None:
        self._global = GlobalLimit(LeakyBucket(GLOBAL_BURST, GLOBAL_INTERVAL_S))
        self._channels: BoundedCache[int, ChannelLimit] = BoundedCache(
            MAX_CHANNELS, in_use=lambda channel: channel.lock.locked()
        )
        # Why no request may be sent, until `_blocked_until`.
        self._blocked: DeliveryError | None = None
        self._blocked_until = 0.0
        # Called with seconds and reason when Discord blocks all requests.
        self._on_blocked: Callable[[float, str], object] = lambda *_: None
        # The running question whether the token is still good, shared by all requests that got a 401.
        self._token_check: asyncio.Task[bool] | None = None
        self.on_token_refused: Callable[[], object] = lambda: None
        """Called when Discord refuses the token itself."""

    def share(self, rate: LeakyBucket, on_blocked: Callable[[float, str], object]) -> None:
        """Count requests by this rate; call `on_blocked` with seconds and reason when none may be sent."""
        self._global = GlobalLimit(rate)
        self._on_blocked = on_blocked

    def channel(self, channel_id: int) -> ChannelLimit:
        """Return the limit of one channel."""
        return self._channels.find_or_make(channel_id, ChannelLimit)

    @property
    def is_busy(self) -> bool:
        """Whether another request would have to wait, or none may be sent at all."""
        blocked = self._blocked is not None and asyncio.get_running_loop().time() < self._blocked_until
        return blocked or self._global.is_busy

    @property
    def figures(self) -> dict[RequestPriority, RequestFigures]:
        """What became of the requests so far, by priority."""
        return self._global.figures

    def take_if_idle(self, priority: RequestPriority) -> bool:
        """Take a slot if requests may be sent and that delays no other one; else leave the request out."""
        return self.find_block() is None and self._global.take_if_idle(priority)

    async def wait(
        self, priority: RequestPriority = RequestPriority.USUAL, place: object | None = None
    ) -> None:
        """Wait until a request may be sent.

        Raises:
            DeliveryError: all requests are blocked.

        """
        self._check()
        await self._global.wait(priority, _server_of(place))
        # Another request may have been banned meanwhile.
        self._check()

    def _check(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._blocked is not None:
            # Rounded: a caller that waited as long as it was told must not be told to wait for 1e-14 s.
            if (left := round(self._blocked_until - now, 6)) > 0:
                raise _again(self._blocked, left)
            self._blocked = None

    def block(self, error: DeliveryError, seconds: float) -> None:
        """Block all requests for `seconds`: each one would prolong the ban."""
        self._blocked = error
        self._blocked_until = asyncio.get_running_loop().time() + seconds
        self._global.dismiss()

    def unblock(self) -> None:
        """Allow requests again."""
        self._blocked = None

    def find_block(self) -> RequestBlock | None:
        """Return the block of all requests, if there is one now."""
        left = self._blocked_until - asyncio.get_running_loop().time()
        return RequestBlock(left, str(self._blocked)) if self._blocked is not None and left > 0 else None

    async def check_error(self, error: DeliveryError, status: int, http: Any | None) -> DeliveryError:  # noqa: ANN401
        """Like `record_error`, but check the token after a 401.

        A single 401 may come from a gateway of Discord's or from a proxy that lost the header. Only if Discord
        refuses to say who we are, too, the token is wrong.

        Returns:
            The error to raise: `DeliveryUnavailable`, so that the request is repeated, if the token is good.

        """
        if status != 401 or not isinstance(error, NotAllowed) or http is None:
            return self.record_error(error, status)
        if self._token_check is None or self._token_check.done():
            self._token_check = asyncio.create_task(_is_token_good(http))
        # Shielded: a turn that is cancelled must not cancel the check for the others.
        if await asyncio.shield(self._token_check):
            return DeliveryUnavailable(f"Discord refused a request, but not the token: {error}")
        self.on_token_refused()
        return self.record_error(error, status)

    def record_error(self, error: DeliveryError, status: int) -> DeliveryError:
        """Block all requests if the error says that Discord accepts none any more; return the error."""
        # A wrong token does not become right: block until the process restarts.
        if status == 401 and isinstance(error, NotAllowed):
            self.block(error, float("inf"))
            self._on_blocked(float("inf"), str(error))
        elif status == 429 and isinstance(error, DeliveryUnavailable) and error.retry_after is not None:
            self.block(error, error.retry_after)
            self._on_blocked(error.retry_after, str(error))
        return error


async def _is_token_good(http: Any) -> bool:  # noqa: ANN401 - discord.http.HTTPClient
    """Ask Discord who we are; only its own 401 says that the token is wrong."""
    try:
        await http.request(Route("GET", "/users/@me"))
    except discord.HTTPException as error:
        return error.status != 401
    except Exception:
        return True
    return True


def _server_of(place: object | None) -> int:
    """Return the id that shares turns: the guild of a channel, or the channel itself if it has none."""
    guild = getattr(place, "guild", None)
    return int(getattr(guild, "id", 0) or getattr(place, "guild_id", 0) or getattr(place, "id", 0) or 0)


def _again(error: DeliveryError, left: float) -> DeliveryError:
    """Return a copy of the error: an error that is raised twice would carry the wrong result."""
    if isinstance(error, DeliveryUnavailable):
        return DeliveryUnavailable(str(error), retry_after=left)
    return NotAllowed(str(error))


_LIMITS: weakref.WeakKeyDictionary[Any, ClientLimits] = weakref.WeakKeyDictionary()


def limits_of(http: Any | None) -> ClientLimits:  # noqa: ANN401
    """Return the limits of the client with this HTTP object; new ones if there is none."""
    return ClientLimits() if http is None else _LIMITS.setdefault(http, ClientLimits())


async def wait_for_request_slot(place: object, priority: RequestPriority = RequestPriority.USUAL) -> bool:
    """Wait until the client of a channel, message or interaction may send one more request.

    Args:
        place: A channel, message or interaction of discord.py.
        priority: Which requests overtake it.

    Returns:
        False if Discord accepts no requests of this bot now: it is banned, or the token is wrong.

    Example:
        if await wait_for_request_slot(message.channel):
            await message.add_reaction("👀")

    """
    try:
        await limits_of(find_http(place)).wait(priority, place)
    except DeliveryError:
        return False
    return True


def share_requests(
    client: object, rate: LeakyBucket | None, on_blocked: Callable[[float, str], object]
) -> None:
    """Count the requests of a client by a rate that several processes share.

    Args:
        client: the discord.py client.
        rate: the shared rate; `None` to count nothing.
        on_blocked: called with seconds and reason when Discord blocks all requests of this bot.

    Example:
        share_requests(client, None, lambda seconds, reason: print("blocked:", seconds, reason))

    """
    limits_of(getattr(client, "http", None)).share(rate or LeakyBucket(float("inf"), 0.0), on_blocked)


def block_requests(client: object, seconds: float, reason: str) -> None:
    """Block the requests of a client, because another process with the same address was banned.

    Args:
        client: The discord.py client.
        seconds: For how long; 0 ends the block.
        reason: Why, in words.

    Example:
        block_requests(client, 300, "another process of this bot was rate-limited by Cloudflare")

    """
    limits = limits_of(getattr(client, "http", None))
    if seconds <= 0:
        limits.unblock()
    else:
        limits.block(DeliveryUnavailable(reason, retry_after=seconds), seconds)


def on_token_refused(client: object, callback: Callable[[], object]) -> None:
    """Call a function when Discord refuses the token of a client that is already logged in.

    Args:
        client: The discord.py client.
        callback: Called without arguments.

    Example:
        on_token_refused(client, shut_down.set)

    """
    limits_of(getattr(client, "http", None)).on_token_refused = callback


def find_block(client: object) -> RequestBlock | None:
    """Return why Discord accepts no request of a client now; `None` if it does.

    Args:
        client: The discord.py client, or a channel of it.

    Example:
        if block := find_block(client):
            print("health: blocked,", block.reason)

    """
    return limits_of(getattr(client, "http", None) or find_http(client)).find_block()


def has_request_slot(place: object) -> bool:
    """Return whether a request can be sent at once, without delaying others.

    Args:
        place: A channel, message or interaction of discord.py.

    Example:
        if has_request_slot(message.channel):
            await message.add_reaction("👀")

    """
    return not limits_of(find_http(place)).is_busy


def find_request_figures(client: object) -> dict[RequestPriority, RequestFigures]:
    """Return how many requests of a client were sent, are waiting and were left out, by priority.

    Args:
        client: The discord.py client.

    Example:
        waiting = sum(one.waiting for one in find_request_figures(client).values())

    """
    return limits_of(getattr(client, "http", None)).figures
