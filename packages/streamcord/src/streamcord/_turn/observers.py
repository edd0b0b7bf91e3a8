"""Call the observer of a turn: a function, or an async function whose calls are awaited one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeAlias

from .._events import ProviderEvent, Receipt, TurnEvent
from .closing import cancel_and_wait, wait_briefly

Observed: TypeAlias = "str | ProviderEvent | TurnEvent | Receipt"
"""What an observer is called with."""
Observer: TypeAlias = Callable[[Observed], object]
"""Called with every source event, every pipeline event and every receipt; may be async."""

MAX_PENDING = 10_000
"""Calls of an async observer that may wait; further events are left out."""

_log = logging.getLogger(__name__)


class ObserverCalls:
    """Calls one observer; its errors are logged once and never end the turn."""

    def __init__(self, observe: Observer | None) -> None:
        self._observe = observe
        # Calls of an async observer that are not awaited yet, oldest first.
        self._pending: deque[Awaitable[object]] = deque()
        # The task that awaits them, while there are any.
        self._task: asyncio.Task[None] | None = None
        self._failures = 0
        self._left_out = 0

    def __bool__(self) -> bool:
        return self._observe is not None

    def notify(self, event: Observed) -> None:
        """Call the observer; an async one runs in a task."""
        if self._observe is None:
            return
        if len(self._pending) >= MAX_PENDING:
            self._left_out += 1
            return
        try:
            answer = self._observe(event)
        except Exception as error:
            self._report(error)
            return
        if isawaitable(answer):
            self._pending.append(answer)
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._await_all())

    async def close(self, seconds: float) -> None:
        """Wait for the remaining calls, at most `seconds`."""
        if self._task is not None:
            try:
                await wait_briefly(self._task, seconds)
            finally:
                await cancel_and_wait(self._task, seconds)
        if self._failures > 1:
            _log.error("observer %s raised %d exceptions in this turn", self._name, self._failures)
        if self._left_out:
            _log.warning("observer %s was too slow: %d events were left out", self._name, self._left_out)

    async def _await_all(self) -> None:
        while self._pending:
            try:
                await self._pending[0]
            except Exception as error:
                self._report(error)
            finally:
                self._pending.popleft()

    def _report(self, error: Exception) -> None:
        """Log the first error with its traceback, and count the others."""
        self._failures += 1
        if self._failures == 1:
            _log.error("observer %s raised an exception; the turn continues", self._name, exc_info=error)

    @property
    def _name(self) -> str:
        return str(getattr(self._observe, "__qualname__", type(self._observe).__qualname__))
