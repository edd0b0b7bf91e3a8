"""Old data and data of deleted places is removed; a failing store is logged."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import pytest

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from streamcord.store import Memory, Place
from streamcord_bot.privacy.retention import DAY_S, Retention


def keeper_of(stage: Stage, clock: Callable[[], float] = time.time) -> Retention:
    app = stage.app
    return Retention(app.config.privacy, app.store, app.channel_configs, app.avatar_emoji, app.state, clock)


async def test_old_answers_are_deleted() -> None:
    async with on_stage(Model([]), config=make_config(privacy={"days": 30})) as stage:
        place = Place(stage.twin.guild.id, stage.twin.channel.id)
        await stage.store.remember(Memory("Luna", place, "hi", (5,)))
        (kept,) = await stage.store.recall("Luna", place)
        await keeper_of(stage, lambda: kept.at + 29 * DAY_S).forget_old()
        assert len(await stage.store.recall("Luna", place)) == 1
        await keeper_of(stage, lambda: kept.at + 31 * DAY_S).forget_old()
        assert await stage.store.recall("Luna", place) == ()


async def test_zero_days_delete_nothing() -> None:
    async with on_stage(Model([]), config=make_config(privacy={"days": 0})) as stage:
        await stage.store.remember(Memory("Luna", Place(1, 2), "hi", (5,)))
        await keeper_of(stage, lambda: 1e12).forget_old()
        assert len(await stage.store.recall("Luna", Place(1, 2))) == 1


async def test_failing_store_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with on_stage(Model([])) as stage:
        keeper = keeper_of(stage)
        await stage.store.close()
        await keeper.forget_old()
        await keeper.forget_channel(1, 2)
        keeper.stop()

    assert [
        word
        for word in ("older than 90 days not deleted", "data of server 1, channel 2 failed")
        if word in caplog.text
    ] == [
        "older than 90 days not deleted",
        "data of server 1, channel 2 failed",
    ]
