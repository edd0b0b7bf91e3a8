from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import suppress

from streamcord_bot.ops.garbage_collection import (
    IDLE_INTERVAL_S,
    THRESHOLDS,
    collect_when_idle,
    short_collections,
)
from virtual_time import timeless


class Node:
    """An object that refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.me = self


def test_thresholds_are_those_of_before_when_the_bot_has_ended() -> None:
    before = gc.get_threshold()
    with short_collections():
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 0

    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


@timeless
async def test_old_garbage_is_collected_only_while_nothing_is_going_on() -> None:
    busy = True
    with short_collections():
        collecting = asyncio.create_task(collect_when_idle(lambda: not busy))
        node = Node()
        # It grows old, and then no one needs it any more.
        gc.collect(1)
        gc.collect(1)
        gone = weakref.ref(node)
        del node
        await asyncio.sleep(3 * IDLE_INTERVAL_S)
        assert gone() is not None
        busy = False
        await asyncio.sleep(2 * IDLE_INTERVAL_S)
        assert gone() is None
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting
