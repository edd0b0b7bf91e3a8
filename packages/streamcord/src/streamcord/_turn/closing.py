"""Close sources and end tasks within a bounded time."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import Any

_log = logging.getLogger(__name__)


async def cancel_and_wait(task: asyncio.Task[Any], seconds: float) -> None:
    """Cancel a task and wait up to `seconds` for it to end; abandon it after that."""
    task.cancel()
    await wait_briefly(task, seconds)


async def wait_briefly(task: asyncio.Task[Any], seconds: float) -> None:
    """Wait up to `seconds` for a task; retrieve its exception, so that asyncio does not warn about it."""
    if not task.done():
        await asyncio.wait({task}, timeout=seconds)
    if task.done() and not task.cancelled():
        task.exception()


async def close_stream(stream: object, seconds: float, *, still_read: bool = False) -> Exception | None:
    """Close a source if it has `aclose`; return what that raised, unless another task still reads it."""
    aclose = getattr(stream, "aclose", None)
    if aclose is None:
        return None
    try:
        async with asyncio.timeout(seconds):
            await aclose()
    except Exception as error:
        if not still_read and not isinstance(error, TimeoutError):
            return error
        _log.warning("source of type %s did not close in time; abandoning it", type(stream).__name__)
    return None


async def discard_source(source: object) -> None:
    """Close a source that will not be read, so that no connection stays open and Python does not warn."""
    if inspect.iscoroutine(source):
        source.close()
    await close_stream(source, 1.0)
