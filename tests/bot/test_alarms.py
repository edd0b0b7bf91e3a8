"""Alarms: one message for each condition, edited when it is over, and used again if it comes back soon."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import FaultKind, Twin
from streamcord import RequestRejected, StoreError
from streamcord.store import Place, Store, open_store
from streamcord_bot.alarms import Alarms
from streamcord_bot.config import BotConfig
from streamcord_bot.ops import resource_limits
from twin.conftest import FREE

SECRET = "hunter2-and-more-words"


class Failing:
    """A store whose settings cannot be read while `fails` is set."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fails = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def settings(self, place: Place) -> object:
        if self.fails:
            raise StoreError(f"The server at {SECRET} is gone.")
        return await self._store.settings(place)


def with_channel(twin: Twin, **tables: object) -> tuple[BotConfig, int]:
    channel = twin.add_channel("operators").id
    return make_config(log={"alarm_channel": str(channel)}, **tables), channel


def told(twin: Twin, channel: int) -> list[str]:
    return [one.content for one in twin.state.channels[channel].messages.values()]


async def test_failing_model_and_used_budget_are_told_once_and_edited_when_over(tmp_path: Path) -> None:
    async with Twin(FREE) as twin:
        budget = {"errors": 2, "all_requests": 3}
        config, channel = with_channel(twin, budget=budget, store=str(tmp_path / "bot.db"))
        wrong_key = RequestRejected("401 wrong key")
        model = Model([wrong_key], [wrong_key], ["Here again."])
        async with on_stage(model, config=config, twin=twin) as stage:
            alarms = stage.app.alarms
            stage.ask("one")
            await model.called(1)
            await stage.quiet()
            await alarms.scan()
            assert told(twin, channel) == []

            stage.ask("two")
            await model.called(2)
            await stage.quiet()
            await alarms.scan()
            await alarms.scan()
            (line,) = told(twin, channel)
            assert "failed 2 times in a row" in line

            stage.ask("three")
            await model.called(3)
            await stage.quiet()
            stage.ask("four: the budget is used up")
            await stage.settled()
            await stage.quiet()
            await alarms.scan()
            first, *others = told(twin, channel)
            assert "Over since" in first
            assert [one for one in others if "Today's budget is used up" in one]
            assert [one for one in others if "100% of today's budget is used (`all_requests`" in one]
            assert len(others) == 2
            await alarms.scan()
            assert len(told(twin, channel)) == 3
        assert stage.pinged == set()


async def test_database_and_disk_are_told_without_secrets_and_return_in_the_same_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1_800_000_000.0
    async with Twin(FREE) as twin, await open_store(":memory:") as kept:
        config, channel = with_channel(twin, store=str(tmp_path / "bot.db"))
        store = Failing(kept)
        async with on_stage(Model(["Hi."]), config=config, twin=twin) as stage:
            app = stage.app
            monkeypatch.setattr(type(config), "secrets", property(lambda _: (SECRET,)))
            alarms = Alarms(config, app.bot, store, app.budget, app.state, lambda: now)  # type: ignore[arg-type]
            store.fails = True
            # No one hears the first attempts, and the log says so once.
            twin.inject_fault(FaultKind.ERROR_CODE, status=403, code=50013, times=2)
            with caplog.at_level(logging.WARNING):
                await alarms.scan()
                await alarms.scan()
            assert caplog.text.count("posting alarms") == 1
            assert told(twin, channel) == []

            await alarms.scan()
            (line,) = told(twin, channel)
            assert "The database fails" in line
            assert SECRET not in line

            store.fails = False
            await alarms.scan()
            assert "Over since <t:1800000000:t>" in told(twin, channel)[0]
            # Back within an hour: the same message. Later: a new one.
            store.fails, now = True, now + 3599
            await alarms.scan()
            assert len(told(twin, channel)) == 1
            assert "Over since" not in told(twin, channel)[0]
            store.fails = False
            await alarms.scan()
            store.fails, now = True, now + 3601
            await alarms.scan()
            assert len(told(twin, channel)) == 2

            store.fails = False
            monkeypatch.setattr(resource_limits, "MIN_DISK_MB", 1 << 40)
            await alarms.scan()
            assert "are free on the disk of the database" in told(twin, channel)[-1]


async def test_without_a_channel_nothing_is_looked_at() -> None:
    async with on_stage(Model(["Hi."])) as stage:
        stage.app.alarms.start()
        assert stage.app.alarms._next is None
