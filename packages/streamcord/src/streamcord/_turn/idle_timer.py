"""Notice that the source pauses, has stopped sending, or takes too long as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

NEVER = float("inf")
PAUSE_FACTOR = 4.0
"""A pause is at least this many times as long as the usual time between two events."""


@dataclass(frozen=True, slots=True)
class IdleLimits:
    """Seconds until something happens."""

    idle: float
    """Without any event."""
    silence: float
    """With keep-alives only."""
    total: float = 0.0
    """Since the turn began; 0 for no limit."""
    pause: float = 0.0
    """Without progress until `on_pause` is called; 0 for never."""


class IdleTimer:
    """Call `on_expired` when a limit is reached, and `on_pause` once for each pause of the source.

    A timer per event would cost more than the event, so one timer checks whether anything came since. While
    `busy` returns true, the turn does not wait for the source and the time does not count.
    """

    def __init__(
        self,
        busy: Callable[[], bool],
        limits: IdleLimits,
        on_expired: Callable[[], object],
        on_pause: Callable[[], object] = lambda: None,
    ) -> None:
        self.expired = 0.0
        """The limit that was reached, in seconds."""
        self.reason = ""
        """What the limit was for, in words."""
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._busy = busy
        self._limits = limits
        self._on_expired = on_expired
        self._on_pause = on_pause
        # Time of the last event of any kind.
        self._last_event = self._loop.time()
        # Time of the last event that was more than a keep-alive.
        self._last_progress = self._last_event
        # The usual time between two events, as a moving average: a slow model does not pause at each token.
        self._usual_gap: float | None = None
        # When the whole turn has taken too long.
        self._end = self._last_event + limits.total if limits.total else NEVER
        # The time of the last progress for which `on_pause` was called.
        self._paused_after: float | None = None
        self._timer = self._loop.call_at(self._due(), self._check)

    def __enter__(self) -> IdleTimer:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def record_event(self, *, progress: bool) -> None:
        """Record an event; `progress` if it was more than a keep-alive."""
        self._last_event = now = self._time()
        if progress:
            # The time to the first event says nothing about the others.
            gap = 0.0 if self._usual_gap is None else min(now - self._last_progress, 2 * self._limits.pause)
            self._usual_gap = gap if self._usual_gap is None else self._usual_gap * 0.8 + gap * 0.2
            self._last_progress = now

    def _due(self) -> float:
        """Return when to check next."""
        limits = self._limits
        due = min(self._last_event + limits.idle, self._last_progress + limits.silence, self._end)
        if not limits.pause:
            return due
        # After a pause was reported, look again from time to time: events do not start the timer.
        if self._paused_after == self._last_progress:
            return min(due, self._time() + limits.pause)
        return min(due, self._last_progress + self._pause)

    @property
    def _pause(self) -> float:
        """Seconds without progress that count as a pause."""
        return max(self._limits.pause, PAUSE_FACTOR * (self._usual_gap or 0.0))

    def _check(self) -> None:
        limits, now = self._limits, self._loop.time()
        if self._busy():
            self.record_event(progress=True)
        if now >= self._end:
            self._expire(limits.total, "the answer took longer than")
        elif now >= self._last_event + limits.idle:
            self._expire(limits.idle, "the source was silent for")
        elif now >= self._last_progress + limits.silence:
            self._expire(limits.silence, "the source was silent for")
        else:
            paused = bool(limits.pause) and now >= self._last_progress + self._pause
            paused = paused and self._paused_after != self._last_progress
            if paused:
                self._paused_after = self._last_progress
            # Started before the call, whatever that raises.
            self._timer = self._loop.call_at(self._due(), self._check)
            if paused:
                self._on_pause()

    def _expire(self, limit: float, reason: str) -> None:
        self.expired, self.reason = limit, reason
        self._on_expired()
