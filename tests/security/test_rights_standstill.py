"""Whatever a server sets and a model writes, nobody else must wait: a sample of `make standstill`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.stage import make_config
from security.hostile_settings import draw_case, find_settings, longest_step
from streamcord.store import Store, open_store

STANDSTILL = 0.1
"""Seconds of processor time that one step may take."""


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = await open_store(":memory:")
    yield opened
    await opened.close()


@pytest.mark.parametrize("seeds", [range(start, start + 3) for start in range(0, 12, 3)], ids=str)
async def test_no_step_takes_long(store: Store, seeds: range) -> None:
    config = make_config(settings={"message_cap": 0})
    for seed in seeds:
        case = draw_case(seed, length=10_000)
        settings = await find_settings(config, store, case)
        # A machine that is busy makes a step look longer; a text that is slow is slow each time.
        steps = [longest_step(settings, case)]
        while steps[-1] > STANDSTILL and len(steps) < 3:
            steps.append(longest_step(settings, case))

        assert min(steps) <= STANDSTILL, case


def test_the_cases_are_hostile() -> None:
    """The settings that hold text back are drawn at their highest, and the file's ceiling cuts them."""
    cases = [draw_case(seed, length=1000) for seed in range(100)]

    assert sum(case.stored.get("overflow_target") == 100_000 for case in cases) > 10
    assert len({case.text for case in cases}) > 90
