"""No model is asked, and nothing is requested, where the bot may not write."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import discord
import pytest

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from discord_twin import Fault, FaultKind, Permission
from streamcord_bot.policy.write_access import CHANGE_GRACE_S, REFUSAL_MEMORY_S, WriteAccess

NO_WEBHOOKS = Permission.SEND_MESSAGES | Permission.MANAGE_WEBHOOKS
ALTER = {"Luna": {"prompt": "You are Luna.", "alter": True}}


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the operator's log says about channels in which the bot may not write."""
    return [one.getMessage() for one in caplog.records if "asking no model" in one.getMessage()]


async def ask_often(stage: Stage, count: int = 5) -> None:
    for number in range(count):
        stage.ask(f"question {number}")
        await stage.settled()
        await stage.quiet()


@pytest.mark.parametrize("denied", [Permission.SEND_MESSAGES, NO_WEBHOOKS], ids=["webhooks left", "neither"])
async def test_model_is_asked_where_the_bot_may_not_write(
    denied: Permission, caplog: pytest.LogCaptureFixture
) -> None:
    model = Model(["Nobody sees this."])
    async with on_stage(model) as stage:
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=denied)
        await ask_often(stage)

        assert model.prompts == []
        assert [one.status for one in stage.twin.log.requests if one.status == 403] == []
        assert stage.said() == []
        assert len(warnings(caplog)) == 1
        assert warnings(caplog)[0].endswith("the bot lacks the permission Send Messages")

        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user)
        stage.ask("and now?")
        assert await stage.texts(1) == ["Nobody sees this."]


async def test_persona_with_a_webhook_is_silent_where_only_webhooks_may_write() -> None:
    async with on_stage(Model(["Meow."]), config=make_config(personas=ALTER)) as stage:
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=Permission.SEND_MESSAGES)
        stage.ask("hello")

        assert await stage.texts(1) == ["Meow."]
        assert [one.route for one in stage.twin.log.requests if one.status == 403] == []


async def test_model_is_asked_while_the_bot_is_timed_out(caplog: pytest.LogCaptureFixture) -> None:
    model = Model(["Nobody sees this."])
    async with on_stage(model) as stage:
        me = stage.bot.get_guild(stage.twin.guild.id).me  # type: ignore[union-attr]
        until = datetime.now(UTC) + timedelta(hours=1)
        stage.twin.guild.members[stage.twin.bot.user.id].timed_out_until = until.timestamp()
        me.timed_out_until = until
        await ask_often(stage)

        assert model.prompts == []
        assert [one.route for one in stage.twin.log.requests if one.status == 403] == []
        assert [f"timed the bot out until {until:%Y-%m-%d %H:%M} UTC" in one for one in warnings(caplog)] == [
            True
        ]


async def test_refused_channel_is_asked_again_before_fifteen_minutes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Such as 50009: no permission says that a member must be verified first.
    model = Model(["Nobody sees this."])
    async with on_stage(model) as stage:
        stage.twin.faults.add(
            Fault(FaultKind.ERROR_CODE, ("messages.create",), code=50009, times=100),
        )
        await ask_often(stage)

        assert len(model.prompts) == 1
        assert len([one for one in stage.twin.log.requests if one.status == 403]) == 1
        assert len(warnings(caplog)) == 1


async def test_command_needs_permission_to_write() -> None:
    model = Model(["Hello."])
    async with on_stage(model) as stage:
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=NO_WEBHOOKS)
        stage.twin.slash("ask", question="Hi?")

        assert await stage.texts(1) == ["Hello."]


async def test_thread_is_opened_in_which_the_bot_may_not_write() -> None:
    async with on_stage(Model(["Hello."]), config=make_config(answer={"threads": True})) as stage:
        denied = Permission.SEND_MESSAGES_IN_THREADS
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=denied)
        stage.ask("hello")

        assert await stage.texts(1) == ["Hello."]
        assert [one.route for one in stage.twin.log.requests if one.route.startswith("threads.")] == []


class Member:
    timed_out_until = None

    def is_timed_out(self) -> bool:
        return False


class Channel:
    """A channel of discord.py, as far as the gate asks it."""

    id = 7

    def __init__(self, **permissions: bool) -> None:
        self.permissions = discord.Permissions(view_channel=True, **permissions)
        self.guild: Any = type("Guild", (), {"me": Member()})()

    def permissions_for(self, _: Member) -> discord.Permissions:
        return self.permissions


def test_refusal_is_forgotten_after_a_quarter_of_an_hour_or_with_new_permissions(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    time = 0.0
    gate, channel = WriteAccess(lambda: time), Channel(send_messages=True)
    gate.record_refusal(channel)
    time = REFUSAL_MEMORY_S - 1
    assert not gate.is_open(channel)
    time = REFUSAL_MEMORY_S
    assert gate.is_open(channel)

    gate.record_refusal(channel)
    assert not gate.is_open(channel)
    channel.permissions.update(attach_files=True)
    assert gate.is_open(channel)
    assert len(warnings(caplog)) == 2


def test_operator_is_reminded_every_quarter_of_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    times = iter(range(0, 2000, 5))
    gate, channel = WriteAccess(lambda: float(next(times))), Channel()
    while len(warnings(caplog)) < 3:
        assert not gate.is_open(channel)

    assert next(times) in range(1800, 1820)

    assert len(warnings(caplog)) == 3


def test_direct_messages_and_unknown_places_are_open() -> None:
    class Somewhere:
        id = 4

    gate = WriteAccess()
    assert gate.is_open(Somewhere())
    gate.record_refusal(Somewhere())
    assert not gate.is_open(Somewhere())


def test_refusal_from_before_a_change_of_permissions_is_forgotten() -> None:
    time = 0.0
    gate, channel = WriteAccess(lambda: time), Channel(send_messages=True)
    channel.guild.id = 5
    gate.record_refusal(channel)
    assert not gate.is_open(channel)
    time = 1.0
    gate.record_change(6)
    assert not gate.is_open(channel)
    gate.record_change(5)
    assert gate.is_open(channel)

    # The refusal of a request that was on its way during the change says nothing, the next one does.
    time = 1.0 + CHANGE_GRACE_S
    gate.record_refusal(channel)
    assert gate.is_open(channel)
    gate.record_refusal(channel)
    assert not gate.is_open(channel)
