"""One process answers for a bot."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.durability.again import life
from bot.models import Model
from streamcord._bot.durability import lease
from streamcord.twin import Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_second_process_says_so_stays_quiet_and_takes_over(
    twin: Twin, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "BEAT", 0.1)
    file = tmp_path / "s.db"
    async with (
        life(twin, file, Model(["second"]), owner="elsewhere/2/2") as second,
        life(twin, file, Model(["first"]), owner="elsewhere/1/1") as first,
    ):
        # The one that was there keeps its place.
        waiting, holding = first.bot.continuity.lease, second.bot.continuity.lease
        assert isinstance(waiting, lease.Lease)
        assert isinstance(holding, lease.Lease)
        assert not waiting.is_ours
        assert "another process (elsewhere/2/2) answers for this bot" in caplog.text
        first.ask("hello?")
        assert await first.texts(1) == ["second"]
        await second.quiet()
        # As at its end: a sign of life behind the release would take the place again.
        beating = second.bot.continuity._watchers[0]
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        await holding.release()
        holding.is_ours = False
        async with asyncio.timeout(60):
            await first.bot.continuity.lease.wait()
        first.ask("hello again?")
        assert await first.texts(1) == ["first"]
        await first.quiet()
    words = [one.content for one in twin.channel.messages.values() if one.by_machine]
    assert words == ["second", "first"]
    assert socket.gethostname() != "elsewhere"
