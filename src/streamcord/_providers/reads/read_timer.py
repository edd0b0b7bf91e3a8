"""Ends a read that takes too long: one timer for all reads of a response, since one for each is dear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from types import TracebackType

__all__ = ["ReadTimer"]


class ReadTimer:
    """Calls `on_late` once a read takes longer than it may; time between two reads does not count.

    The timer looks, at the earliest moment that was ever due, whether anything is due; if not, it goes on to
    the next such moment.
    """

    def __init__(self, on_late: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._on_late = on_late
        self._began = 0.0
        self._due: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._looks_at = inf

    def __enter__(self) -> ReadTimer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more is read."""
        if self._timer is not None:
            self._timer.cancel()

    def begin(self, seconds: float) -> None:
        """A read begins, which may take so long."""
        self._began = began = self._time()
        self._due = due = began + seconds
        if due < self._looks_at:
            self._set(due)

    def end(self) -> None:
        """The read is over."""
        self._due = None

    @property
    def waited(self) -> float:
        """How many seconds the read took that has just ended; nearly nobody asks."""
        return self._time() - self._began

    def _set(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._looks_at = due
        self._timer = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        self._timer = None
        self._looks_at = inf
        if self._due is None:
            return
        if self._time() < self._due:
            self._set(self._due)
        else:
            self._on_late()
