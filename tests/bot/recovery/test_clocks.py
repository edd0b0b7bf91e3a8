"""A clock that is wrong, or was set while no one looked, hides no question and makes no answer old."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life, off_by, recovered
from bot.recovery.test_resume_answers import broken_off, journal_of, rest, said
from discord_twin import Twin
from streamcord_bot.ops.connectivity import DiscordClock, wait_for_discord
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def told_by(twin: Twin, seconds: float) -> DiscordClock:
    """The clock of a machine that is this many seconds ahead, as the bot sets it at its start."""
    clock = off_by(seconds)
    assert await wait_for_discord(twin.base_url, asyncio.Event(), clock)
    return clock


@pytest.mark.parametrize("ahead", [900.0, 10_800.0, 90_000.0, -90_000.0])
async def test_a_clock_that_jumps_makes_no_answer_old_and_hides_no_question(
    ahead: float, twin: Twin, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    await broken_off(twin, file)
    elsewhere = twin.add_channel("elsewhere")
    twin.say(elsewhere, twin.user, f"<@{twin.bot.id}> are you there?")

    def answer(prompt: object) -> list[str]:
        return ["here"] if "are you there?" in str(prompt) else rest(prompt)  # type: ignore[arg-type]

    async with life(twin, file, Model(answer), await told_by(twin, ahead)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
    assert [one.content for one in elsewhere.messages.values() if one.by_machine] == ["here"]


async def test_a_clock_that_jumps_and_is_set_back_costs_nothing(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["one\ntw", asyncio.Event()]), await told_by(twin, 90_000)) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
    async with life(twin, file, Model(rest), await told_by(twin, 0)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
    assert await journal_of(file) == []
