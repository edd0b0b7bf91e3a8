from __future__ import annotations

import asyncio

import pytest

from streamcord._delivery.clock import DeliveryClock
from streamcord._delivery.leaky_bucket import LeakyBucket
from virtual_time import now, timeless


async def after(seconds: float, value: str = "done") -> str:
    await asyncio.sleep(seconds)
    return value


def hurry_in(pace: DeliveryClock, seconds: float, patience: float | None = None) -> None:
    asyncio.get_running_loop().call_later(seconds, pace.expedite, patience)


@timeless
async def test_wait_ends_when_the_turn_is_expedited() -> None:
    pace = DeliveryClock()
    hurry_in(pace, 2.0)
    await pace.wait(60.0)
    assert (now(), pace.expedited) == (2.0, True)
    await pace.wait(60.0)
    assert now() == 2.0


@timeless
async def test_nothing_is_waited_for_in_no_time() -> None:
    await DeliveryClock().wait(0.0)

    assert now() == 0.0


@timeless
async def test_what_is_done_in_time_is_done() -> None:
    pace = DeliveryClock()

    assert await pace.unless_expedited(after(1.0)) == "done"
    assert await pace.with_deadline(after(1.0)) == "done"


@timeless
async def test_coroutine_is_cancelled_when_the_turn_is_expedited() -> None:
    pace = DeliveryClock()
    hurry_in(pace, 1.0)

    assert await pace.unless_expedited(after(60.0)) is None
    assert now() == 1.0


@timeless
async def test_request_in_flight_may_take_until_the_timeout() -> None:
    pace = DeliveryClock()
    hurry_in(pace, 1.0, 5.0)
    assert await pace.with_deadline(after(4.0)) == "done"
    with pytest.raises(TimeoutError):
        await pace.with_deadline(after(60.0))

    assert now() == 9.0


@timeless
async def test_without_a_bound_it_may_take_as_long_as_it_likes() -> None:
    pace = DeliveryClock()
    hurry_in(pace, 1.0)

    assert await pace.with_deadline(after(60.0)) == "done"


@timeless
async def test_what_fails_fails() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    pace = DeliveryClock()
    for way in (pace.with_deadline, pace.unless_expedited):
        with pytest.raises(ZeroDivisionError):
            await way(fail())


@timeless
async def test_who_is_cancelled_leaves_nothing_running() -> None:
    pace = DeliveryClock()
    waiting = asyncio.create_task(pace.with_deadline(after(60.0)))
    await asyncio.sleep(1.0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@timeless
async def test_a_sleep_without_a_clock_is_the_only_time_there_is() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = DeliveryClock(sleep)
    await pace.sleep(1.5)
    await asyncio.sleep(100)

    assert (pace.now(), slept) == (1.5, [1.5])
    assert now() == 100


@timeless
async def test_a_clock_of_its_own_is_believed() -> None:
    assert DeliveryClock(None, lambda: 42.0).now() == 42.0


# --- Rates ---


def test_a_burst_is_free_and_then_one_in_each_period() -> None:
    rate = LeakyBucket(4, 1.0)
    waits = [rate.take(0.0) for _ in range(6)]

    assert waits == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]


def test_what_has_drained_is_free_again() -> None:
    rate = LeakyBucket(2, 0.5)
    for _ in range(2):
        rate.take(10.0)

    assert rate.pause(10.0) == 0.5
    assert rate.pause(10.25) == 0.25
    assert rate.pause(10.5) == 0.0
    assert rate.pause(99.0) == 0.0


def test_looking_takes_nothing() -> None:
    rate = LeakyBucket(1, 1.0)
    assert [rate.pause(0.0), rate.pause(0.0)] == [0.0, 0.0]


def test_discord_is_believed() -> None:
    rate = LeakyBucket(4, 1.0)
    rate.correct(4, 0.25, 7.0)

    assert rate.pause(7.0) == 0.25
    rate.correct(0, 0.0, 7.0)
    assert rate.pause(7.0) == 0.0
