"""Bookkeeping is done beside the answer: no one waits for a database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life
from discord_twin import Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_locked_database_holds_no_question_back(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    # The one who waited for the database would wait for an hour.
    async with life(twin, file, Model(["first"], ["second"], ["third"]), patience=3600.0) as stage:
        stage.ask("one?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            await take_alone(other)
            for text in ["second", "third"]:
                stage.ask(f"{text}?")
                assert await stage.texts(1) == [text]
            assert other.in_transaction, "nobody could write meanwhile"
        await stage.quiet()


async def take_alone(other: sqlite3.Connection) -> None:
    """Take the right to write, between two of the bot's own statements."""
    while not other.in_transaction:
        with suppress(sqlite3.OperationalError):
            other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(0)
