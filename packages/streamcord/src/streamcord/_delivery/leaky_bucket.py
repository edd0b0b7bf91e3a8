"""The leaky bucket of a rate limit."""

from __future__ import annotations


class LeakyBucket:
    """A rate limit as a leaky bucket, corrected by Discord's headers.

    It holds `burst` requests and drains one every `seconds`. Discord's own windows differ per route and are
    not documented, so its headers take precedence over our count
    (https://docs.discord.com/developers/topics/rate-limits#header-format).

    Args:
        burst: How many requests may be sent at once.
        seconds: How long it takes until one request has drained.

    Example:
        bucket = LeakyBucket(burst=5, seconds=1.0)
        await asyncio.sleep(bucket.take(loop.time()))

    """

    __slots__ = ("_at", "_level", "burst", "seconds")

    def __init__(self, burst: float, seconds: float) -> None:
        # Requests that may be sent at once.
        self.burst = burst
        # Seconds until one request has drained.
        self.seconds = seconds
        # Requests in the bucket at time `_at`.
        self._level = 0.0
        self._at = 0.0

    def pause(self, now: float, count: int = 1) -> float:
        """Return the seconds until `count` more requests are allowed; 0 means now."""
        over = self._drain(now) + count - self.burst
        # Rounded, because float errors would otherwise leave waits of almost zero seconds.
        return max(0.0, round(over * self.seconds, 6))

    def take(self, now: float) -> float:
        """Count one request and return the seconds that it has to wait."""
        pause = self.pause(now)
        self._level += 1
        return pause

    def correct(self, level: float, seconds: float, now: float) -> None:
        """Adopt Discord's numbers: requests that count now, and seconds until one of them drains."""
        self._level, self.seconds, self._at = level, seconds, now

    def _drain(self, now: float) -> float:
        if self.seconds > 0:
            self._level = max(0.0, self._level - (now - self._at) / self.seconds)
        self._at = now
        return self._level
