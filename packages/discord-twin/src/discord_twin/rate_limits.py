"""Rate limits with the headers that Discord sends.

A bucket is a hash (the same for all channels) plus a major parameter: the channel, the guild, or the
webhook with its token. Since 2022-11-02 buckets leak: each request is a drop, the bucket drains steadily,
and `Reset` names the moment at which it is empty again. With `leaky` off, a window opens with the first
request and the whole bucket is full again when it ends. Limits that no header shows answer 429 while
`Remaining` is above zero. https://docs.discord.com/developers/topics/rate-limits
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .options import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .options import TwinOptions

__all__ = ["Admission", "Limiter", "Meter"]

# Rounding errors of floats must not turn a full bucket into a refused request.
_EPSILON = 1e-9


class Meter:
    """How much of one limit is used."""

    __slots__ = ("_level", "_since")

    def __init__(self) -> None:
        # Requests in the bucket; a fraction if it leaks.
        self._level = 0.0
        # Time of the last refresh, or for a fixed window the time at which it opened.
        self._since = 0.0

    def refresh(self, limit: Limit, now: float, *, leaky: bool) -> float:
        """Apply what has drained since the last call and return the current level."""
        passed = now - self._since
        if leaky:
            self._level = max(0.0, self._level - passed * limit.count / limit.seconds)
            self._since = now
        elif passed >= limit.seconds:
            self._level = 0.0
            self._since = now
        return self._level

    def acquire(self, limit: Limit, now: float, *, leaky: bool) -> float:
        """Use one request; return the seconds to wait if none is left, else 0."""
        level = self.refresh(limit, now, leaky=leaky)
        if level + 1 <= limit.count + _EPSILON:
            self._level += 1
            return 0.0
        if leaky:
            return max(_EPSILON, (level + 1 - limit.count) * limit.seconds / limit.count)
        return max(_EPSILON, self._since + limit.seconds - now)

    def fill(self, limit: Limit, now: float, count: int, *, leaky: bool) -> None:
        """Use several requests at once, as if another process had made them."""
        self.refresh(limit, now, leaky=leaky)
        self._level = min(float(limit.count), self._level + count)

    def remaining(self, limit: Limit) -> int:
        """Whole requests left."""
        return max(0, math.floor(limit.count - self._level + _EPSILON))

    def reset_after(self, limit: Limit, now: float, *, leaky: bool) -> float:
        """Return seconds until the bucket is as new."""
        if leaky:
            return self._level * limit.seconds / limit.count
        return max(0.0, self._since + limit.seconds - now)


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a request may pass, and the headers that its answer carries."""

    headers: dict[str, str]
    retry_after: float = 0.0
    scope: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the answer is 429."""
        return bool(self.scope)


class Limiter:
    """All limits of this Discord."""

    def __init__(self, clock: Clock, options: Callable[[], TwinOptions]) -> None:
        self._clock = clock
        self._options = options
        # Meters by (route or limit name, major parameter).
        self._meters: dict[tuple[str, str], Meter] = {}
        # Counts 401, 403 and 429 responses against the ban by Cloudflare.
        self._invalid = Meter()
        self._banned_until = 0.0
        # Part of every bucket hash; counting up changes all hashes.
        self._generation = 0
        self._requests = 0

    def clear(self) -> None:
        """Forget every request that was counted, and lift the ban."""
        self._meters.clear()
        self._invalid = Meter()
        self._banned_until = 0.0

    # What the routes ask

    def admit(self, route: str, major: str, caller: str, channel_id: int | None) -> Admission:
        """Count a request against the global limit, its bucket and the hidden limits of its channel."""
        options = self._options()
        self._requests += 1
        # Discord changes hashes on deploys; a client that keys its state by hash has to notice.
        if options.bucket_hash_change_at == self._requests:
            self.change_hashes()
        # The global limit comes first; its 429 carries no bucket headers.
        wait = self._acquire_global(caller, options)
        if wait:
            return Admission(self._refusal_headers(wait, "global"), self._to_client_seconds(wait), "global")
        # Reports disagree whether edits have a bucket of their own.
        shared = options.edits_share_create_bucket and route == "messages.edit"
        bucket = "messages.create" if shared else route
        limit = self._limit(bucket, options)
        meter = self._meter(bucket, major)
        wait = meter.acquire(limit, self._clock.now(), leaky=options.leaky)
        headers = self._headers(bucket, limit, meter, options)
        if wait:
            return Admission(
                headers | self._refusal_headers(wait, "user"), self._to_client_seconds(wait), "user"
            )
        # Hidden limits refuse while the visible bucket still has requests.
        wait = self._acquire_hidden(route, channel_id, options)
        if wait:
            scope = options.hidden_scope
            return Admission(
                headers | self._refusal_headers(wait, scope), self._to_client_seconds(wait), scope
            )
        return Admission({} if options.omit_rl_headers else headers)

    def acquire(self, name: str, place: str, limit: Limit) -> float:
        """Count against a limit that a route asks for itself; return the seconds that the client must wait, or 0."""
        meter = self._meter(name, place)
        wait = meter.acquire(limit, self._clock.now(), leaky=self._options().leaky)
        return self._to_client_seconds(wait) if wait else 0.0

    def refuse(self, route: str, major: str, seconds: float, scope: str) -> Admission:
        """Return a 429 that a fault asks for; a bucket's own 429 says that nothing is left."""
        options = self._options()
        headers_429 = self._refusal_headers(seconds, scope)
        if scope == "global":
            return Admission(headers_429, self._to_client_seconds(seconds), scope)
        meter = self._meter(route, major)
        headers = self._headers(route, self._limit(route, options), meter, options)
        # A refusal of scope `shared` is caused by other users: the bot's own bucket still has requests left.
        if scope == "user":
            headers["X-RateLimit-Remaining"] = "0"
            headers |= self._reset_headers(seconds)
        return Admission(headers | headers_429, self._to_client_seconds(seconds), scope)

    def bucket(self, route: str) -> str:
        """Return the hash of a route's bucket, the same for all channels."""
        return hashlib.md5(f"{route}:{self._generation}".encode(), usedforsecurity=False).hexdigest()

    # What tests do

    def change_hashes(self) -> None:
        """Give all buckets new hashes; what was used stays used."""
        self._generation += 1

    def drain(self, route: str, major: str, count: int = 1_000_000) -> None:
        """Use up a bucket, as another process with the same token would."""
        options = self._options()
        meter = self._meter(route, major)
        meter.fill(self._limit(route, options), self._clock.now(), count, leaky=options.leaky)

    # The budget of invalid requests

    @property
    def is_banned(self) -> bool:
        """Whether Cloudflare answers instead of Discord."""
        return self._clock.now() < self._banned_until

    @property
    def ban_left(self) -> float:
        """Seconds of the ban that are left, in seconds of the client."""
        return self._to_client_seconds(max(0.0, self._banned_until - self._clock.now()))

    def count_invalid(self, status: int, scope: str) -> None:
        """Count an answer; too many 401, 403 and 429 in ten minutes are a ban."""
        # Shared limits are not the fault of the client.
        if status not in {401, 403, 429} or scope == "shared":
            return
        limit = self._options().invalid_request_ban
        now = self._clock.now()
        self._invalid.acquire(limit, now, leaky=False)
        # The ban is per address and not per token: it also hits requests that would have succeeded.
        if self._invalid.remaining(limit) == 0:
            self._banned_until = now + self._invalid.reset_after(limit, now, leaky=False)

    # Inside

    def _limit(self, route: str, options: TwinOptions) -> Limit:
        return options.buckets.get(route, options.other_bucket)

    def _meter(self, route: str, major: str) -> Meter:
        return self._meters.setdefault((route, major), Meter())

    def _acquire_global(self, caller: str, options: TwinOptions) -> float:
        # Interaction answers are exempt; webhook calls without a bot token are counted by address.
        if not caller or not options.global_rps:
            return 0.0
        limit = Limit(options.global_rps, 1.0)
        return self._meter("global", caller).acquire(limit, self._clock.now(), leaky=False)

    def _acquire_hidden(self, route: str, channel_id: int | None, options: TwinOptions) -> float:
        hidden = {
            "webhooks.execute": options.hidden_webhook_channel_limit,
            "messages.create": options.sub_limit,
        }.get(route)
        if hidden is None or channel_id is None:
            return 0.0
        meter = self._meter(f"hidden:{route}", str(channel_id))
        return meter.acquire(hidden, self._clock.now(), leaky=False)

    def _headers(self, route: str, limit: Limit, meter: Meter, options: TwinOptions) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(limit.count),
            "X-RateLimit-Remaining": str(meter.remaining(limit)),
            "X-RateLimit-Bucket": self.bucket(route),
            **self._reset_headers(meter.reset_after(limit, self._clock.now(), leaky=options.leaky)),
        }

    def _reset_headers(self, seconds: float) -> dict[str, str]:
        after = self._to_client_seconds(seconds)
        return {
            "X-RateLimit-Reset": f"{self._clock.wall() + after:.3f}",
            "X-RateLimit-Reset-After": f"{after:.3f}",
        }

    def _to_client_seconds(self, seconds: float) -> float:
        # Whole milliseconds, rounded up: a client that waits exactly this long must not come too early.
        return math.ceil(self._clock.to_client_seconds(seconds) * 1000) / 1000

    def _refusal_headers(self, wait: float, scope: str) -> dict[str, str]:
        # The header is whole seconds, the body has the fraction.
        headers = {"Retry-After": str(math.ceil(self._to_client_seconds(wait))), "X-RateLimit-Scope": scope}
        return {**headers, "X-RateLimit-Global": "true"} if scope == "global" else headers
