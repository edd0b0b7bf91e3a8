"""Whatever a server sets and a model writes, no one else must wait: a sample of `tools/fuzz_settings.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.stage import make_config
from security.hostile_settings import draw_case, find_settings, longest_step
from streamcord import Degree, Ending, Message, Settings, TextDelta, say
from streamcord._text.pipeline import BATCH_SEGMENTS
from streamcord._turn.event_router import PIECE_CHARS, in_pieces
from streamcord.store import Store, open_store
from streamcord.testing import FakeChannel

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


async def test_a_text_that_comes_all_at_once_lets_others_breathe() -> None:
    breaths = 0

    async def breathe() -> None:
        nonlocal breaths
        while True:
            breaths += 1
            await asyncio.sleep(0)

    async def source() -> AsyncIterator[str]:
        yield "Some words that nobody waits for.\n" * 2000

    others = asyncio.create_task(breathe())
    channel = FakeChannel()
    result = await say(channel, source(), settings=Settings(typing="off", degree=Degree.NONE, message_cap=0))
    others.cancel()

    assert result.ending is Ending.COMPLETED
    assert breaths > 68_000 // PIECE_CHARS
    assert list(in_pieces("x" * PIECE_CHARS)) == ["x" * PIECE_CHARS]
    full = "x" * PIECE_CHARS
    assert list(in_pieces(TextDelta(full + "y"))) == [TextDelta(full), TextDelta("y")]


@pytest.mark.parametrize("unit", ["Bee sees. ", "Bee.\n"], ids=["while it comes", "at its end"])
async def test_what_was_held_and_is_let_go_at_once_lets_others_breathe(unit: str) -> None:
    """A bracket that nothing closes holds hundreds of sentences, until it is too long or the answer ends."""
    planned = maximum = 0

    async def breathe() -> None:
        nonlocal planned, maximum
        while True:
            maximum, planned = max(maximum, planned), 0
            await asyncio.sleep(0)

    def observe(event: object) -> None:
        nonlocal planned
        planned += isinstance(event, Message)

    async def source() -> AsyncIterator[str]:
        yield "(a " + unit * 50
        for _ in range(8):
            yield unit * 50

    others = asyncio.create_task(breathe())
    settings = Settings(
        typing="off", degree=Degree.HEAVY, humanize=False, message_cap=0, unmatched_delimiter_limit=4000
    )
    channel = FakeChannel()
    await say(channel, source(), settings=settings, observe=observe)
    others.cancel()

    assert len(channel.texts) > 400
    assert BATCH_SEGMENTS <= maximum <= 2 * BATCH_SEGMENTS
