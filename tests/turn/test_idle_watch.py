from __future__ import annotations

import asyncio

from streamcord._turn.idle_watch import Watch
from virtual import now, timeless


@timeless
async def test_silence_is_noticed_after_the_idle_time() -> None:
    barked = asyncio.Event()
    with Watch(lambda: False, 10, 30, barked.set) as watch:
        await asyncio.sleep(4)
        watch.note(progress=True)
        await barked.wait()

    assert (now(), watch.expired) == (14, 10)


@timeless
async def test_signs_of_life_alone_are_silence_after_a_while() -> None:
    barked = asyncio.Event()
    with Watch(lambda: False, 10, 30, barked.set) as watch:
        while not barked.is_set():
            watch.note(progress=False)
            await asyncio.sleep(1)

    assert (now(), watch.expired) == (30, 30)


@timeless
async def test_time_in_which_nobody_waits_does_not_count() -> None:
    barked = asyncio.Event()
    with Watch(lambda: now() < 100, 10, 30, barked.set):
        await barked.wait()

    assert 100 <= now() <= 110


@timeless
async def test_after_the_block_nobody_barks() -> None:
    barked = asyncio.Event()
    with Watch(lambda: False, 10, 30, barked.set):
        pass
    await asyncio.sleep(60)

    assert not barked.is_set()
