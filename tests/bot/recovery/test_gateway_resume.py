"""A shard resumes its session after an outage."""

from __future__ import annotations

import asyncio

from bot.models import Model
from bot.stage import on_stage
from discord_twin import Twin
from streamcord_bot.recovery.gateway_resume import MAX_RECONNECT_PAUSE_S, QuickBackoff
from twin.conftest import FREE


def test_pauses_stay_short() -> None:
    backoff = QuickBackoff()

    assert all(0 <= backoff.delay() <= MAX_RECONNECT_PAUSE_S for _ in range(50))


async def test_what_was_asked_during_an_outage_is_answered_after_it() -> None:
    async with Twin(FREE) as twin, on_stage(Model(["here"]), twin=twin) as stage:
        await stage.settled()
        resumed = asyncio.ensure_future(stage.bot.wait_for("shard_resumed", timeout=20))
        await twin.go_offline()
        lost = asyncio.ensure_future(stage.bot.wait_for("disconnect", timeout=20))
        await lost
        stage.ask("are you there?")
        # The first try to reconnect fails, as it does in an outage of more than a moment.
        await asyncio.sleep(1.5)
        await twin.go_online()
        assert await stage.texts(1) == ["here"]
        await resumed
