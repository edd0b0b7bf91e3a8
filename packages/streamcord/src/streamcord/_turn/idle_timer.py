"""Notice that the source has stopped sending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

__all__ = ["IdleTimer"]


class IdleTimer:
    """Call `on_silence` after `idle` seconds without events, or `silence` seconds with only keep-alives.

    A timer per event would cost more than the event, so one timer checks whether anything came since. While
    `busy` returns true, the turn does not wait for the source and the time does not count.
    """

    def __init__(
        self, busy: Callable[[], bool], idle: float, silence: float, on_silence: Callable[[], object]
    ) -> None:
        self.expired = 0.0
        """The limit that was reached, in seconds."""
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._busy = busy
        self._idle = idle
        self._silence = silence
        self._on_silence = on_silence
        # Time of the last event of any kind.
        self._last_event = self._loop.time()
        # Time of the last event that was more than a keep-alive.
        self._last_progress = self._last_event
        self._timer = self._loop.call_at(self._due(), self._check)

    def __enter__(self) -> IdleTimer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def record_event(self, *, progress: bool) -> None:
        """Record an event; `progress` if it was more than a keep-alive."""
        self._last_event = self._time()
        if progress:
            self._last_progress = self._last_event

    def _due(self) -> float:
        return min(self._last_event + self._idle, self._last_progress + self._silence)

    def _check(self) -> None:
        if self._busy():
            self.record_event(progress=True)
        now = self._loop.time()
        if now < self._due():
            self._timer = self._loop.call_at(self._due(), self._check)
            return
        self.expired = self._idle if now >= self._last_event + self._idle else self._silence
        self._on_silence()
