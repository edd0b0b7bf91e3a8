"""Gateway and interactions: scenarios G that need the bot."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import Twin
from streamcord.testing import ScriptedProvider
from twin.conftest import FREE


async def test_g01_g02_an_event_that_comes_twice_is_answered_once() -> None:
    model = ScriptedProvider(["Once."], ["Twice."])
    async with on_stage(model, switches=replace(FREE, gateway_dup_events_chance=1.0)) as stage:
        stage.ask("hi")
        await stage.texts(1)
        await stage.quiet()
        await stage.settled()

    assert model.opened == 1


async def test_g01_what_a_resume_repeats_is_answered_once_and_what_was_missed_is_answered() -> None:
    model = ScriptedProvider(["One."], ["Two."])
    async with on_stage(model) as stage:
        twin = stage.twin
        stage.ask("first")
        assert await stage.texts(1) == ["One."]
        await stage.quiet()
        (session,) = twin.gateway.sessions.values()
        for shard in stage.bot.shards.values():
            # As if nothing of the last minutes had been seen.
            shard._parent.ws.sequence = 1
        twin.gateway.drop(4000)
        await twin.until(lambda: not any(one.connection for one in twin.gateway.sessions.values()))
        stage.ask("while you were away")
        await twin.until(lambda: twin.gateway.resumes, 20)
        assert await stage.texts(1) == ["Two."]
        await stage.quiet()

    assert model.opened == 2
    assert session.sequence > 1


@pytest.mark.parametrize("trouble", ["reconnect", "invalid", "abort"])
async def test_g04_g06_an_answer_goes_on_while_the_gateway_comes_and_goes(trouble: str) -> None:
    go_on = asyncio.Event()
    model = Model(["One.\nT", go_on, "wo."])
    async with on_stage(model) as stage:
        twin = stage.twin
        stage.ask("hi")
        assert await stage.texts(1) == ["One."]
        before = twin.gateway.identifies + twin.gateway.resumes
        match trouble:
            case "reconnect":
                twin.gateway.ask_reconnect()
            case "invalid":
                twin.gateway.invalidate(resumable=False)
            case _:
                twin.gateway.abort()
        go_on.set()
        assert await stage.texts(1) == ["Two."]
        await twin.until(lambda: twin.gateway.identifies + twin.gateway.resumes > before, 20)


async def test_g08_commands_answer_in_time_also_when_the_store_does_not() -> None:
    config = make_config(models={"tiny": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"}})
    async with on_stage({"tiny": ScriptedProvider()}, config=config) as stage:
        used = stage.twin.slash("model")
        await stage.twin.until(lambda: used.callback)

        assert used.callback is not None
        assert used.callback["type"] == 5


async def test_g11_its_own_words_through_a_webhook_call_nobody() -> None:
    model = ScriptedProvider(["Luna is here, says Luna."], ["loop"])
    config = make_config(personas={"Luna": {"alter": True}})
    async with on_stage(model, config=config) as stage:
        stage.ask("who are you?")
        answer = await stage.twin.next_message()
        await stage.quiet()
        await stage.settled()

    assert answer.webhook is not None
    assert model.opened == 1


async def test_g12_two_bots_that_answer_each_other_come_to_an_end() -> None:
    model = Model(lambda _: ["Hello, fellow bot."])
    async with Twin(FREE) as twin:
        other = twin.state.add_application("parrot", twin.user)
        twin.state.add_member(twin.guild, other.user)
        async with on_stage(model, twin=twin) as stage:
            for number in range(3):
                stage.ask("squawk", user=other.user)
                await model.called(number + 1)
                await stage.quiet()
            stage.ask("squawk", user=other.user)
            await stage.settled()
            await stage.quiet()
            assert len(model.prompts) == 3
            twin.say(twin.channel, twin.user, "somebody is here")
            stage.ask("squawk", user=other.user)
            await model.called(4)
