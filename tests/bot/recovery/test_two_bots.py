"""Two bots on one store: each answers for itself."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from bot.recovery.test_bad_journals import join_as
from bot.recovery.test_resume_answers import hanging, rest, said
from discord_twin import Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_message_that_names_both_is_answered_by_both(twin: Twin, tmp_path: Path) -> None:
    file, first, second = tmp_path / "s.db", twin.bot, join_as(twin, "other")
    async with life(twin, file, Model(["first"])) as one:
        twin.say(twin.channel, twin.user, f"<@{first.id}> <@{second.id}> who is there?")
        assert await one.texts(1) == ["first"]
        await one.quiet()
    # This one was away: the answer of the other is none of its own.
    async with life(twin, file, Model(["first again"])):
        twin.bot = second
        with sqlite3.connect(file) as database:
            database.execute("INSERT INTO bot_leases VALUES (?, '', ?)", (second.id, time.time() - 60))
        database.close()
        async with life(twin, file, Model(["second"]), owner="elsewhere/2/2") as two:
            await recovered(two)
            await two.quiet()
    assert said(twin) == ["first", "second"]


async def test_what_one_left_in_its_file_is_not_hidden_by_the_other_one(twin: Twin, tmp_path: Path) -> None:
    first, second = twin.bot, join_as(twin, "other")
    async with life(twin, tmp_path / "s.db", hanging()) as one:
        one.ask("count")
        assert await one.texts(1) == ["one"]
        killed = await left_by_a_kill(one, tmp_path / "s.db", "delivered")
    twin.bot = second
    # The other one takes the file of the dead one, and still has it when that one is back.
    async with life(twin, killed, Model(["never"])) as two:
        await recovered(two)
        twin.bot = first
        async with life(twin, killed, Model(rest)) as again:
            await recovered(again)
            await again.quiet()
    assert said(twin) == ["one", "two", "three"]
