"""Keep full garbage collections out of busy moments.

A full collection looks at every object of the process, in whichever step of the event loop reaches the threshold: with
a thousand answers at once that is a pause of several hundred milliseconds for everybody. Collections of young objects
stay automatic and take a few milliseconds. What is old is collected when no answer runs.
https://docs.python.org/3/library/gc.html#gc.freeze
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

THRESHOLDS = (2_000, 10, 500)
"""Objects, and collections of the next younger generation, before one is collected; the last is full.

A full collection in the middle of work is the last resort against memory that grows.
"""
IDLE_INTERVAL_S = 30.0


@contextmanager
def short_collections() -> Iterator[None]:
    """Collect young objects only while the block runs, and never look at those that exist now."""
    before = gc.get_threshold()
    gc.collect()
    # Modules, configuration and tables live as long as the process.
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def collect_when_idle(is_idle: Callable[[], bool]) -> None:
    """Collect everything now and then, whenever nothing happens."""
    while True:
        await asyncio.sleep(IDLE_INTERVAL_S)
        # The third number counts collections of the middle generation since the last full one.
        if is_idle() and gc.get_count()[2]:
            gc.collect()
