from __future__ import annotations

import asyncio
import time

import pytest

from discord_twin.clock import DrivenClock, RealClock, ScaledClock


def test_real_time_follows_the_monotonic_clock_that_it_is_given() -> None:
    moments = iter([100.0, 100.0, 103.5])
    clock = RealClock(lambda: next(moments))
    start = clock.now()

    assert clock.now() - start == pytest.approx(3.5)


def test_real_time_is_the_time_of_day() -> None:
    clock = RealClock()

    assert clock.now() == pytest.approx(time.time(), abs=1)
    assert clock.to_client_seconds(5) == 5


async def test_real_time_sleeps_in_the_loop() -> None:
    clock = RealClock(asyncio.get_running_loop().time)
    before = clock.now()
    await clock.sleep(0.01)

    assert clock.now() - before >= 0.01


async def test_scaled_time_runs_faster_and_shortens_waits_of_clients() -> None:
    clock = ScaledClock(1000)
    before = clock.now()
    await clock.sleep(10)

    assert clock.now() - before >= 10
    assert clock.to_client_seconds(5) == 0.005
    assert clock.wall() == pytest.approx(time.time(), abs=1)


async def test_scaled_time_keeps_waits_of_clients_on_the_same_clock() -> None:
    clock = ScaledClock(1000, clients_scaled=True)
    await clock.sleep(1)

    assert clock.to_client_seconds(5) == 5
    assert clock.wall() >= clock.now() - 60


@pytest.mark.parametrize("factor", [0, -1])
def test_time_cannot_stand_still_by_scaling(factor: float) -> None:
    with pytest.raises(ValueError, match="factor"):
        ScaledClock(factor)


async def test_driven_time_resumes_tasks_in_order_of_their_due_time() -> None:
    clock = DrivenClock(0)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, *waits: float) -> None:
        for wait in waits:
            await clock.sleep(wait)
            woken.append((name, clock.now()))

    tasks = [asyncio.create_task(sleeper("slow", 3)), asyncio.create_task(sleeper("fast", 1, 1, 5))]
    await asyncio.sleep(0)
    await clock.advance(4)

    assert woken == [("fast", 1), ("fast", 2), ("slow", 3)]
    assert clock.now() == 4
    await clock.advance(3)
    await asyncio.gather(*tasks)
    assert woken[-1] == ("fast", 7)


async def test_driven_time_does_not_wait_for_nothing() -> None:
    clock = DrivenClock(5)
    await clock.sleep(0)
    clock.jump(2)

    assert clock.now() == clock.wall() == 7
    assert clock.to_client_seconds(3) == 3


async def test_a_sleeper_that_was_cancelled_is_passed_over() -> None:
    clock = DrivenClock(0)
    task = asyncio.create_task(clock.sleep(1))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await clock.advance(2)

    assert clock.now() == 2
