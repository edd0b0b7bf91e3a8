"""How long a turn waits: for a source that falls silent, and for tasks and sources that must end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from types import TracebackType
from typing import Any

__all__ = ["SilenceTimer", "cancel_and_wait", "close_stream", "wait_briefly"]

_log = logging.getLogger("streamcord")


class SilenceTimer:
    """Calls `on_silence` once nothing came for `idle` seconds, or only signs of life for `silence` seconds.

    A timer per event would cost more than the event, so one timer looks whether anything came since. While
    `busy` says that nobody waits for the source, time does not count.
    """

    def __init__(
        self, busy: Callable[[], bool], idle: float, silence: float, on_silence: Callable[[], object]
    ) -> None:
        self.expired = 0.0
        """The limit that was reached, in seconds."""
        self._loop = asyncio.get_running_loop()
        self._busy = busy
        self._idle = idle
        self._silence = silence
        self._on_silence = on_silence
        self._heard = self._progress = self._loop.time()
        self._timer = self._loop.call_at(self._due(), self._look)

    def __enter__(self) -> SilenceTimer:
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
        self._on_silence()


async def cancel_and_wait(task: asyncio.Task[Any], seconds: float) -> None:
    """Cancel a task and give it so many seconds to end; one that does not is left behind."""
    task.cancel()
    await wait_briefly(task, seconds)


async def wait_briefly(task: asyncio.Task[Any], seconds: float) -> None:
    """Wait for a task for so many seconds; what it raises is seen, so that asyncio does not warn about it."""
    if not task.done():
        await asyncio.wait({task}, timeout=seconds)
    if task.done() and not task.cancelled():
        task.exception()


async def close_stream(stream: object, seconds: float, *, still_read: bool = False) -> Exception | None:
    """Close a source if it can be; what it raises then, unless it is `still_read` by another task."""
    aclose = getattr(stream, "aclose", None)
    if aclose is None:
        return None
    try:
        async with asyncio.timeout(seconds):
            await aclose()
    except Exception as error:
        if not still_read and not isinstance(error, TimeoutError):
            return error
        _log.warning("a source did not close in time: %s", type(stream).__name__)
    return None
