"""Notices when a source falls silent, at the price of one look at the clock per event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

__all__ = ["Watch"]


class Watch:
    """Calls `bark` once nothing came for `idle` seconds, or only signs of life for `silence` seconds.

    A timer per event would cost more than the event, so one timer looks whether anything came since. While
    `busy` says that nobody waits for the source, time does not count.
    """

    def __init__(
        self, busy: Callable[[], bool], idle: float, silence: float, bark: Callable[[], object]
    ) -> None:
        self.expired = 0.0
        """The limit that was reached, in seconds."""
        self._loop = asyncio.get_running_loop()
        self._busy = busy
        self._idle = idle
        self._silence = silence
        self._bark = bark
        self._heard = self._progress = self._loop.time()
        self._timer = self._loop.call_at(self._due(), self._look)

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def note(self, *, progress: bool) -> None:
        """Something came; `progress` if it was more than a sign of life."""
        self._heard = self._loop.time()
        if progress:
            self._progress = self._heard

    def _due(self) -> float:
        return min(self._heard + self._idle, self._progress + self._silence)

    def _look(self) -> None:
        if self._busy():
            self.note(progress=True)
        now = self._loop.time()
        if now < self._due():
            self._timer = self._loop.call_at(self._due(), self._look)
            return
        self.expired = self._idle if now >= self._heard + self._idle else self._silence
        self._bark()
