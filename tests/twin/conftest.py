"""A twin on driven time, and a raw client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from discord_twin import DrivenClock, Twin, TwinOptions
from twin.api import Api

FREE = TwinOptions.without_limits()
"""No rate limits, for tests that are about something else."""


@pytest.fixture
def clock() -> DrivenClock:
    return DrivenClock()


@pytest.fixture
def twin_clock(clock: DrivenClock) -> DrivenClock:
    """Put the fixture `twin` of the pytest plugin on driven time; it has no rate limits."""
    return clock


@pytest.fixture
async def limited(clock: DrivenClock) -> AsyncIterator[Twin]:
    """A twin with Discord's rate limits."""
    async with Twin(clock=clock) as started:
        yield started


@pytest.fixture
async def api(twin: Twin) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as session:
        yield Api(twin, session)


@pytest.fixture
async def limited_api(limited: Twin) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as session:
        yield Api(limited, session)
