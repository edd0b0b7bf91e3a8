"""Hostile files in a row: none costs much, none stops the loop, each is taken or refused in words.

The long form is `tools/fuzz_files.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random

import pytest

from security.fuzzing import Costs, LoopWatch, fuzz
from security.hostile_cards import heavy_file, hostile_file
from streamcord_bot.sandbox.client import SandboxClient
from streamcord_bot.sandbox.worker import MEMORY_CAP

COUNT = 120


@pytest.fixture
async def file_reader() -> AsyncIterator[SandboxClient]:
    reader = SandboxClient()
    yield reader
    await reader.close()


async def test_hostile_files_cost_little_and_stop_nobody(file_reader: SandboxClient) -> None:
    random, costs = Random(1), Costs()
    files = [hostile_file(random) for _ in range(COUNT)]
    async with LoopWatch() as quiet:
        await asyncio.sleep(0.1)
    async with LoopWatch() as watch:
        await fuzz(file_reader, files, costs)

    assert costs.ends.total() == COUNT
    assert costs.ends["too costly"] == 0
    assert costs.ends["taken"] > 5
    assert costs.memory < MEMORY_CAP
    assert costs.seconds < 2
    assert max(watch.busy) < max(quiet.busy) + 0.05


async def test_the_costliest_files_end_nothing_but_their_reader(file_reader: SandboxClient) -> None:
    files, costs = (
        [heavy_file(name) for name in ("one part for all sprites", "gif blocks", "empty lists")],
        Costs(),
    )
    async with LoopWatch() as watch:
        await fuzz(file_reader, files, costs)

    assert costs.ends == {"taken": 2, "too costly": 1}
    assert costs.memory < MEMORY_CAP
    assert max(watch.busy) < 0.1
