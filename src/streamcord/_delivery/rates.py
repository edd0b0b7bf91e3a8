"""Rates: how soon the next request is welcome, without asking.

A leaky bucket holds `burst` requests and lets one drain every `seconds`. Any other window that Discord may
really have is learnt from its headers, which are believed over our own count.
"""

from __future__ import annotations

__all__ = ["Rate"]


class Rate:
    """A leaky bucket, corrected from outside."""

    __slots__ = ("_at", "_level", "burst", "seconds")

    def __init__(self, burst: float, seconds: float) -> None:
        self.burst = burst
        self.seconds = seconds
        self._level = 0.0
        self._at = 0.0

    def pause(self, now: float) -> float:
        """Seconds until one more request fits; 0 is now."""
        over = self._settle(now) + 1 - self.burst
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(over * self.seconds, 6))

    def take(self, now: float) -> float:
        """Book a request and say how long it must wait for its place."""
        pause = self.pause(now)
        self._level += 1
        return pause

    def correct(self, level: float, seconds: float, now: float) -> None:
        """What Discord says: so many requests count now, and one drains every so many seconds."""
        self._level, self.seconds, self._at = level, seconds, now

    def _settle(self, now: float) -> float:
        if self.seconds > 0:
            self._level = max(0.0, self._level - (now - self._at) / self.seconds)
        self._at = now
        return self._level
