from __future__ import annotations

import asyncio

import pytest

from streamcord._providers.reads.read_timer import ReadTimer
from virtual import now, timeless


class Wire:
    """Something to read from; a read that is late fails."""

    def __init__(self) -> None:
        self.late_at: list[float] = []
        self.timer = ReadTimer(lambda: self.late_at.append(now()))

    async def read(self, limit: float, takes: float) -> None:
        self.timer.begin(limit)
        await asyncio.sleep(takes)
        self.timer.end()


@pytest.mark.parametrize(
    ("reads", "late"),
    [
        ([(10, 9), (10, 11)], 19),
        ([(120, 1), (5, 6)], 6),  # a shorter limit holds at once
    ],
)
@timeless
async def test_a_read_that_takes_too_long_is_told_when_it_is_due(
    reads: list[tuple[float, float]], late: float
) -> None:
    wire = Wire()
    began = now()

    with wire.timer:
        for limit, takes in reads:
            await wire.read(limit, takes)

    assert [at - began for at in wire.late_at] == pytest.approx([late])


@timeless
async def test_time_between_two_reads_does_not_count() -> None:
    wire = Wire()

    with wire.timer:
        for _ in range(5):
            await wire.read(10, takes=6)
            assert wire.timer.waited == pytest.approx(6)
            await asyncio.sleep(100)

    assert wire.late_at == []


@timeless
async def test_nothing_is_told_after_the_last_read() -> None:
    wire = Wire()

    with wire.timer:
        await wire.read(10, takes=1)
        wire.timer.begin(10)
    await asyncio.sleep(100)

    assert wire.late_at == []
