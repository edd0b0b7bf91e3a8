"""One process answers for a bot."""

from __future__ import annotations

import asyncio
import fcntl
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, off_by, recovered
from discord_twin import Twin
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from streamcord_bot.coordination import single_process as lease
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_second_process_says_so_stays_quiet_and_takes_over(
    twin: Twin, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "HEARTBEAT_INTERVAL_S", 0.1)
    file = tmp_path / "s.db"
    async with (
        life(twin, file, Model(["second"]), owner="elsewhere/2/2") as second,
        life(twin, file, Model(["first"]), owner="elsewhere/1/1") as first,
    ):
        # The one that was there keeps its place.
        waiting, holding = first.bot.recovery.coordinator, second.bot.recovery.coordinator
        assert isinstance(waiting, lease.SingleProcess)
        assert isinstance(holding, lease.SingleProcess)
        assert not waiting.is_ours
        assert "another process (elsewhere/2/2) answers for this bot" in caplog.text
        first.ask("hello?")
        assert await first.texts(1) == ["second"]
        await second.quiet()
        # As at its end: a keep-alive behind the release would take the place again.
        beating = second.bot.recovery._background_tasks[0]
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        await holding.release()
        holding.is_ours = False
        async with asyncio.timeout(60):
            await first.bot.recovery.coordinator.wait()
        first.ask("hello again?")
        assert await first.texts(1) == ["first"]
        await first.quiet()
    words = [one.content for one in twin.channel.messages.values() if one.by_machine]
    assert words == ["second", "first"]
    assert socket.gethostname() != "elsewhere"


async def test_successor_resumes_answers_of_a_suspended_process(twin: Twin, tmp_path: Path) -> None:
    """It is alive and has its file locked, but says nothing; what it was writing must not be asked again."""
    hanging = Model(["one\ntw", asyncio.Event()])
    async with life(twin, tmp_path / "s.db", hanging) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
        copy = await left_by_a_kill(stage, tmp_path / "s.db", "delivered")

    with Path(f"{copy}{WRITE_AHEAD_SUFFIX}").open("r+b") as theirs:  # noqa: ASYNC230 - a moment
        fcntl.flock(theirs, fcntl.LOCK_EX)
        async with life(twin, copy, Model(["o\nthree"]), off_by(20), owner="elsewhere/2/2") as stage:
            await recovered(stage)
            assert await stage.texts(2) == ["two", "three"]
            await stage.quiet()
        async with life(twin, copy, Model(["anew"]), off_by(40), owner="elsewhere/3/3") as stage:
            await recovered(stage)
            await stage.quiet()
    words = [one.content for one in twin.channel.messages.values() if one.by_machine]
    assert words == ["one", "two", "three"]
