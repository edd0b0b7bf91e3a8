from __future__ import annotations

import asyncio

import pytest

from streamcord._delivery.pace import Pace
from virtual import now, timeless


async def after(seconds: float, value: str = "done") -> str:
    await asyncio.sleep(seconds)
    return value


def hurry_in(pace: Pace, seconds: float, patience: float | None = None) -> None:
    asyncio.get_running_loop().call_later(seconds, pace.hurry, patience)


@timeless
async def test_a_wait_ends_when_somebody_is_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 2.0)
    await pace.wait(60.0)
    assert (now(), pace.hurried) == (2.0, True)
    await pace.wait(60.0)
    assert now() == 2.0


@timeless
async def test_nothing_is_waited_for_in_no_time() -> None:
    await Pace().wait(0.0)

    assert now() == 0.0


@timeless
async def test_what_is_done_in_time_is_done() -> None:
    pace = Pace()

    assert await pace.unless_hurried(after(1.0)) == "done"
    assert await pace.in_time(after(1.0)) == "done"


@timeless
async def test_what_is_not_is_given_up_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.unless_hurried(after(60.0)) is None
    assert now() == 1.0


@timeless
async def test_what_is_in_flight_may_take_as_long_as_there_is_patience() -> None:
    pace = Pace()
    hurry_in(pace, 1.0, 5.0)
    assert await pace.in_time(after(4.0)) == "done"
    with pytest.raises(TimeoutError):
        await pace.in_time(after(60.0))

    assert now() == 9.0


@timeless
async def test_without_a_bound_it_may_take_as_long_as_it_likes() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.in_time(after(60.0)) == "done"


@timeless
async def test_what_fails_fails() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    pace = Pace()
    for way in (pace.in_time, pace.unless_hurried):
        with pytest.raises(ZeroDivisionError):
            await way(fail())


@timeless
async def test_who_is_cancelled_leaves_nothing_running() -> None:
    pace = Pace()
    waiting = asyncio.create_task(pace.in_time(after(60.0)))
    await asyncio.sleep(1.0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@timeless
async def test_a_sleep_without_a_clock_is_the_only_time_there_is() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = Pace(sleep)
    await pace.sleep(1.5)
    await asyncio.sleep(100)

    assert (pace.now(), slept) == (1.5, [1.5])
    assert now() == 100


@timeless
async def test_a_clock_of_its_own_is_believed() -> None:
    assert Pace(None, lambda: 42.0).now() == 42.0
