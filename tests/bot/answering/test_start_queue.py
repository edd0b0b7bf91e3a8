from __future__ import annotations

import asyncio

from streamcord_bot.answering.start_queue import StartQueue
from virtual_time import now, timeless


@timeless
async def test_answers_start_in_order_and_a_slow_start_makes_room() -> None:
    queue, begun = StartQueue(2, max_hold_s=1.0), list[tuple[int, float]]()

    async def start(number: int, seconds: float) -> None:
        async with queue.slot():
            begun.append((number, now()))
            await asyncio.sleep(seconds)

    await asyncio.gather(*(start(number, seconds) for number, seconds in enumerate((5.0, 0.25, 0.25, 0.25))))

    assert begun == [(0, 0.0), (1, 0.0), (2, 0.25), (3, 0.5)]
    assert not queue.is_full


@timeless
async def test_two_slow_starts_do_not_hold_all_others_back() -> None:
    queue = StartQueue(1, max_hold_s=1.0)

    async def start() -> float:
        async with queue.slot():
            at = now()
            await asyncio.sleep(100.0)
        return at

    assert await asyncio.gather(*(start() for _ in range(4))) == [0.0, 1.0, 2.0, 3.0]
    async with queue.slot():
        assert queue.is_full
    assert not queue.is_full
