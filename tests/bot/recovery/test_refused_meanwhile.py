"""What a person may ask may be used up or forbidden when their answer goes on: half an answer says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life, recovered
from bot.recovery.test_resume_answers import broken_off, journal_of
from bot.stage import Stage
from discord_twin import Channel, Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def said_in(channel: Channel) -> list[str]:
    """Words, and what is no words as `!`."""
    return [one.content or "!" for one in channel.messages.values() if one.by_machine]


async def over(stage: Stage) -> None:
    await recovered(stage)
    await stage.quiet()


async def test_exhausted_budget_still_shows_received_text_and_sends_notices(twin: Twin, file: Path) -> None:
    places = [twin.channel, twin.add_channel("elsewhere")]
    async with life(twin, file, Model(["one\ntw", asyncio.Event()], ["one\ntw", asyncio.Event()])) as stage:
        for place in places:
            stage.ask("count", place)
            assert await stage.texts(1, place) == ["one"]

    async with life(twin, file, Model(["never"]), budget={"person_requests": 2}) as stage:
        await over(stage)

    assert [said_in(place) for place in places] == [["one", "tw", "!"]] * 2
    assert await journal_of(file) == []


async def test_answer_that_may_not_resume_gets_one_notice_and_is_closed(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    models = {"main": {"provider": "ollama", "model": "m", "allow": {"people": [1]}}}
    for _ in range(2):
        async with life(twin, file, Model(["never"]), models=models) as stage:
            await over(stage)

    assert said_in(twin.channel) == ["one", "!"]
    assert await journal_of(file) == []
