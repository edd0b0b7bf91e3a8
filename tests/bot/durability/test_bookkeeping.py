"""Bookkeeping is done beside the answer: nobody waits for a database."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.durability.again import life
from bot.models import Model
from streamcord.twin import Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_locked_database_holds_no_question_back(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["first"], ["second"], ["third"]), patience=20.0) as stage:
        stage.ask("one?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waits = []
        for text in ["second", "third"]:
            began = time.monotonic()
            stage.ask(f"{text}?")
            assert await stage.texts(1) == [text]
            waits.append(time.monotonic() - began)
        other.execute("ROLLBACK")
        other.close()
        await stage.quiet()
        await asyncio.sleep(0)

    assert max(waits) < 2.0
