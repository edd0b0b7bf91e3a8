"""The bot over outages and without a journal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life
from bot.stage import make_config
from discord_twin import Twin
from streamcord_bot.coordination.journal import NullJournal, open_bot_journal
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_folder_that_is_not_there_costs_the_journal_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = make_config(store=str(tmp_path / "nowhere" / "s.db"))

    assert isinstance(await open_bot_journal(config), NullJournal)
    assert "opening the journal failed" in caplog.text
    assert isinstance(await open_bot_journal(make_config(durability={"journal": False})), NullJournal)


async def test_what_could_not_be_delivered_is_delivered_when_discord_is_back(
    twin: Twin, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    gate = asyncio.Event()
    quick = {"typing": "off", "degree": 1, "delivery_timeout": 1.0, "closing_timeout": 0.5}
    async with life(twin, tmp_path / "s.db", Model(["one\ntw", gate, "o\nthree"]), settings=quick) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
        await twin.go_offline()
        gate.set()
        await stage.quiet()
        assert stage.app.state.has_pending_recovery
        await twin.go_online()
        assert await stage.texts(2) == ["two", "three"]
        await stage.quiet()

    words = [one.content for one in twin.channel.messages.values() if one.by_machine]
    assert words == ["one", "two", "three"]
