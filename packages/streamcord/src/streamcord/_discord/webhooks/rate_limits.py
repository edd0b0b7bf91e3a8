"""Rate limits of webhooks: per parent channel, and what a response says about the whole bot."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..._common.bounded_cache import BoundedCache
from ..._exceptions import DeliveryUnavailable
from ..discord_internals import find_http
from ..errors import webhook_error
from ..rate_limits import limits_of
from ..raw_http import Response

MAX_CHANNELS = 10_000
"""Channels that are remembered; the least recently used one is forgotten first."""
HIDDEN_LIMIT, HIDDEN_WINDOW_S = 30, 60.0
"""The undocumented limit of a channel: this many webhook messages in this many seconds."""
PACING_S = 600.0
"""Seconds for which the hidden limit is respected after it was hit."""
MIN_BAN_PAUSE_S = 60.0
"""Minimum pause after a ban by Cloudflare: further requests prolong it."""


class WebhookLimit:
    """The rate limit of one channel's webhook.

    Headers report 5 messages in 2 s per webhook. Another limit, 30 in 60 s per channel, appears in no header,
    only as a 429 while requests are left (https://github.com/discord/discord-api-docs/issues/367). So it is
    respected for a while once it was hit.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        # Time before which Discord accepts no message.
        self._free_at = 0.0
        # Times of the last messages.
        self._posted: deque[float] = deque(maxlen=HIDDEN_LIMIT)
        # Time until which the hidden limit is respected.
        self._paced_until = 0.0

    def pause(self) -> float:
        """Return the seconds until another message is allowed."""
        now = self._clock()
        due = self._free_at
        if now < self._paced_until and len(self._posted) == HIDDEN_LIMIT:
            due = max(due, self._posted[0] + HIDDEN_WINDOW_S)
        # Rounded, because float errors would otherwise leave waits of almost zero seconds.
        return max(0.0, round(due - now, 6))

    def record_response(self, response: Response) -> None:
        """Update the limit from the response to a message."""
        now = self._clock()
        if response.status != 429:
            self._posted.append(now)
            if response.headers.get("X-RateLimit-Remaining") == "0":
                self._wait(now, _number(response.headers.get("X-RateLimit-Reset-After")))
            return
        banned = response.is_from_cloudflare
        self._wait(now, max(response.retry_after, MIN_BAN_PAUSE_S) if banned else response.retry_after)
        # A 429 while requests are left is the hidden limit.
        if not banned and _number(response.headers.get("X-RateLimit-Remaining")) > 0:
            self._paced_until = now + PACING_S

    def _wait(self, now: float, seconds: float) -> None:
        self._free_at = max(self._free_at, now + seconds)


class WebhookLimits:
    """The rate limits of all webhooks of a bot, by parent channel."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        # A webhook serves a channel and its threads, so they share one limit.
        self._limits: BoundedCache[int, WebhookLimit] = BoundedCache(MAX_CHANNELS)

    def pause(self, parent_id: int) -> float:
        """Return the seconds until another message is allowed."""
        limit = self._limits.find(parent_id)
        return limit.pause() if limit else 0.0

    def record_response(self, channel: object, parent_id: int, response: Response) -> None:
        """Update the limits of the channel and of the whole bot from the response to a message."""
        limit = self._limits.find_or_make(parent_id, lambda: WebhookLimit(self._clock))
        limit.record_response(response)
        # A ban of our address or a global limit also hits the bot's own requests; every other 429 hits
        # this webhook or channel only.
        if response.is_from_cloudflare or response.body.get("global") is True:
            error = DeliveryUnavailable(str(webhook_error(response)))
            limits_of(find_http(channel)).block(error, limit.pause())


def _number(header: str | None) -> float:
    """Return the number in a header; 0 if it is missing or invalid."""
    try:
        return min(max(0.0, float(header or "")), PACING_S)
    except ValueError:
        return 0.0
