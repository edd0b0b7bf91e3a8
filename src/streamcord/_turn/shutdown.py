"""Ends tasks and sources in bounded time: what does not let go is left behind, not waited for."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

__all__ = ["close", "dismiss", "grant"]

_log = logging.getLogger("streamcord")


async def dismiss(task: asyncio.Task[Any], seconds: float) -> None:
    """Cancel a task and give it a last moment."""
    task.cancel()
    await grant(task, seconds)


async def grant(task: asyncio.Task[Any], seconds: float) -> None:
    """Give a task a last moment; what it raises is seen, so that nobody warns about it."""
    if not task.done():
        await asyncio.wait({task}, timeout=seconds)
    if task.done() and not task.cancelled():
        task.exception()


async def close(stream: object, seconds: float, *, left: bool = False) -> Exception | None:
    """Close a source if it can be; what it raises then, unless it was left while it still ran."""
    aclose = getattr(stream, "aclose", None)
    if aclose is None:
        return None
    try:
        async with asyncio.timeout(seconds):
            await aclose()
    except Exception as error:
        if not left and not isinstance(error, TimeoutError):
            return error
        _log.warning("a source did not close in time: %s", type(stream).__name__)
    return None
