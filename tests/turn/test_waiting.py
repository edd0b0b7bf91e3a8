from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from streamcord._turn.waiting import SilenceTimer, cancel_and_wait, close_stream, wait_briefly
from virtual import now, timeless


@timeless
async def test_silence_is_noticed_after_the_idle_time() -> None:
    on_silenceed = asyncio.Event()
    with SilenceTimer(lambda: False, 10, 30, on_silenceed.set) as timer:
        await asyncio.sleep(4)
        timer.note(progress=True)
        await on_silenceed.wait()

    assert (now(), timer.expired) == (14, 10)


@timeless
async def test_signs_of_life_alone_are_silence_after_a_while() -> None:
    on_silenceed = asyncio.Event()
    with SilenceTimer(lambda: False, 10, 30, on_silenceed.set) as timer:
        while not on_silenceed.is_set():
            timer.note(progress=False)
            await asyncio.sleep(1)

    assert (now(), timer.expired) == (30, 30)


@timeless
async def test_time_in_which_nobody_waits_does_not_count() -> None:
    on_silenceed = asyncio.Event()
    with SilenceTimer(lambda: now() < 100, 10, 30, on_silenceed.set):
        await on_silenceed.wait()

    assert 100 <= now() <= 110


@timeless
async def test_after_the_block_nobody_on_silences() -> None:
    on_silenceed = asyncio.Event()
    with SilenceTimer(lambda: False, 10, 30, on_silenceed.set):
        pass
    await asyncio.sleep(60)

    assert not on_silenceed.is_set()


async def cling() -> None:
    while now() < 50:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            continue


class Closing:
    def __init__(self, error: Exception | None = None, seconds: float = 0.0) -> None:
        self.error, self.seconds = error, seconds

    async def aclose(self) -> None:
        await asyncio.sleep(self.seconds)
        if self.error:
            raise self.error


@timeless
async def test_a_task_is_ended_at_once_if_it_lets_go() -> None:
    task = asyncio.create_task(asyncio.sleep(100))
    await asyncio.sleep(0)
    await cancel_and_wait(task, 5)

    assert task.cancelled()
    assert now() == 0


@timeless
async def test_a_task_that_clings_is_left_behind() -> None:
    task = asyncio.create_task(cling())
    await asyncio.sleep(0)
    await cancel_and_wait(task, 5)

    assert not task.done()
    assert now() == 5
    await task


@timeless
async def test_a_task_may_finish_in_its_last_moment_and_what_it_raises_is_seen() -> None:
    async def fail() -> None:
        await asyncio.sleep(3)
        raise ValueError

    task = asyncio.create_task(fail())
    await wait_briefly(task, 5)

    assert now() == 3
    assert isinstance(task.exception(), ValueError)


@timeless
async def test_what_a_source_raises_when_it_is_closed_is_told() -> None:
    error = OSError("socket")

    assert await close_stream(Closing(), 5) is None
    assert await close_stream(Closing(error), 5) is error
    assert await close_stream(Closing(error), 5, still_read=True) is None
    assert await close_stream(object(), 5) is None


@timeless
async def test_a_source_that_does_not_close_is_left_behind() -> None:
    assert await close_stream(Closing(seconds=100), 5) is None
    assert now() == 5


@timeless
async def test_a_source_that_is_being_read_cannot_be_closed_and_that_is_fine() -> None:
    async def source() -> AsyncIterator[int]:
        await asyncio.sleep(10)
        yield 1

    stream = source()
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(1)

    assert await close_stream(stream, 5, still_read=True) is None
    await reading
