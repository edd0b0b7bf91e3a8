"""Measure the longest step of the event loop: the time for which everything else had to wait.

A step is one callback of the loop, which is one run of a task from an `await` to the next. It is measured in
processor time of the thread, because on a busy machine wall time contains what other programs took. Garbage
collection is switched off meanwhile: it runs in whichever step reaches the threshold, and its length depends
on all objects of the process.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import thread_time

LIMIT_S = 0.020


@dataclass
class Steps:
    """The steps of one measurement."""

    longest_s: float = 0.0
    count: int = 0
    longest: str = ""
    """The callback of the longest step, to find its code."""


def name_of(callback: object) -> str:
    """Return the file and name of what a callback runs: the coroutine of a task, or a method."""
    owner = getattr(callback, "__self__", None)
    code = getattr(getattr(owner, "get_coro", lambda: None)(), "cr_code", None)
    if code is not None:
        return f"{code.co_filename} {code.co_qualname}"
    return f"{type(owner).__module__.replace('.', '/')} {getattr(callback, '__qualname__', repr(callback)[:200])}"


def is_of_others(callback: object) -> bool:
    """Return whether a callback runs the local Discord, its HTTP server, or a program of this folder."""
    name = name_of(callback)
    return any(one in name for one in ("discord_twin", "aiohttp/web", str(Path(__file__).parent)))


@contextmanager
def measured_steps(skipped: Callable[[object], bool] = lambda _: False) -> Iterator[Steps]:
    """Measure every step of event loops that run inside the `with` block, except for the skipped callbacks."""
    steps = Steps()
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        # A handle forgets its callback when it is cancelled while it runs.
        callback = handle._callback  # type: ignore[attr-defined]
        start = thread_time()
        run(handle)
        took = thread_time() - start
        steps.count += 1
        if took > steps.longest_s and not skipped(callback):
            steps.longest_s, steps.longest = took, name_of(callback)

    # Every callback, timer and task step of asyncio goes through this method, with any event loop in Python.
    asyncio.Handle._run = timed  # type: ignore[method-assign]
    gc.collect()
    gc.disable()
    try:
        yield steps
    finally:
        gc.enable()
        asyncio.Handle._run = run  # type: ignore[method-assign]
