from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from streamcord._turn.shutdown import close, dismiss, grant
from virtual import now, timeless


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
    await dismiss(task, 5)

    assert task.cancelled()
    assert now() == 0


@timeless
async def test_a_task_that_clings_is_left_behind() -> None:
    task = asyncio.create_task(cling())
    await asyncio.sleep(0)
    await dismiss(task, 5)

    assert not task.done()
    assert now() == 5
    await task


@timeless
async def test_a_task_may_finish_in_its_last_moment_and_what_it_raises_is_seen() -> None:
    async def fail() -> None:
        await asyncio.sleep(3)
        raise ValueError

    task = asyncio.create_task(fail())
    await grant(task, 5)

    assert now() == 3
    assert isinstance(task.exception(), ValueError)


@timeless
async def test_what_a_source_raises_when_it_is_closed_is_told() -> None:
    error = OSError("socket")

    assert await close(Closing(), 5) is None
    assert await close(Closing(error), 5) is error
    assert await close(Closing(error), 5, left=True) is None
    assert await close(object(), 5) is None


@timeless
async def test_a_source_that_does_not_close_is_left_behind() -> None:
    assert await close(Closing(seconds=100), 5) is None
    assert now() == 5


@timeless
async def test_a_source_that_is_being_read_cannot_be_closed_and_that_is_fine() -> None:
    async def source() -> AsyncIterator[int]:
        await asyncio.sleep(10)
        yield 1

    stream = source()
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(1)

    assert await close(stream, 5, left=True) is None
    await reading
