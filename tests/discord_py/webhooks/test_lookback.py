from __future__ import annotations

import asyncio
from typing import Any

import pytest

from delivery.stage import FREE, Stage, on_stage
from streamcord import Uncertain
from streamcord._discord.webhooks.lookback import READ_CAP, Attempt, Sighting, describe, find_arrived, sight
from streamcord._discord.webhooks.webhook_cache import Hook, Hooks
from streamcord.twin import FaultKind, Switches
from virtual import timeless

BODY = describe("Luna", "hello there", (), 0)


async def post(stage: Stage, hook: Hook, text: str, name: str = "Luna") -> int:
    webhook = await stage.client.fetch_webhook(hook.id)
    return (await webhook.send(text, username=name, wait=True)).id


async def begin(stage: Stage) -> tuple[Any, Hook, Attempt]:
    """A channel, a webhook, and an attempt that may have arrived behind what was said so far."""
    channel = stage.find()
    hook = await Hooks().take(channel)
    return channel, hook, Attempt(hook, channel.id, hook.id, BODY)


@timeless
async def test_what_is_there_is_found_among_others() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        await channel.send("hello there")
        sent = await post(stage, hook, "hello there")
        await stage.hear("hello there")

        assert await find_arrived(channel, attempt, (), ()) == sent


@timeless
async def test_what_is_not_there_is_not() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        other = await channel.create_webhook(name="other")
        await other.send("hello there", username="Luna")
        known = await post(stage, hook, "hello there")

        assert await find_arrived(channel, attempt, {known}, ()) is None


@timeless
async def test_what_stood_there_before_is_somebody_elses() -> None:
    async with on_stage() as stage:
        channel, hook, _ = await begin(stage)
        before = await post(stage, hook, "hello there")

        assert await find_arrived(channel, Attempt(hook, channel.id, before, BODY), (), ()) is None


@pytest.mark.parametrize("text", ["hello there, edited", "h"])
def test_a_message_of_ours_that_nobody_can_explain_is_a_doubt(text: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            channel, hook, attempt = await begin(stage)
            await post(stage, hook, text)
            with pytest.raises(Uncertain):
                await find_arrived(channel, attempt, (), ())

    run()


@timeless
async def test_of_two_that_read_the_same_one_must_be_left_for_each() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        await post(stage, hook, "hello there")
        with pytest.raises(Uncertain):
            await find_arrived(channel, attempt, (), (), rivals=1)
        second = await post(stage, hook, "hello there")

        assert await find_arrived(channel, attempt, (), (), rivals=1) == second


@timeless
async def test_without_the_intent_the_webhook_itself_is_asked() -> None:
    switches = Switches(
        buckets={}, other_bucket=FREE.other_bucket, global_rps=0, message_content_intent=False
    )
    async with on_stage(switches, content=False) as stage:
        channel, hook, attempt = await begin(stage)
        sent = await post(stage, hook, "hello there")
        (seen,) = [one async for one in channel.history(limit=1)]

        assert (seen.content, sight(seen).body) == ("", "")
        assert await find_arrived(channel, attempt, (), ()) == sent


@timeless
async def test_what_cannot_be_read_at_all_stays_in_doubt() -> None:
    switches = Switches(
        buckets={}, other_bucket=FREE.other_bucket, global_rps=0, message_content_intent=False
    )
    for fault in (FaultKind.STATUS, FaultKind.CLOSE_BEFORE_COMMIT):
        async with on_stage(switches, content=False) as stage:
            channel, hook, attempt = await begin(stage)
            await post(stage, hook, "hello there")
            stage.twin.fail(fault, "webhooks.message", times=2)
            with pytest.raises(Uncertain):
                await find_arrived(channel, attempt, (), ())


@timeless
async def test_a_channel_that_cannot_be_read_proves_nothing() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        stage.twin.fail(FaultKind.ERROR_CODE, "messages.list", code=50001, times=2)
        with pytest.raises(Uncertain):
            await find_arrived(channel, attempt, (), ())
        # What the gateway showed is proof all the same.
        sighting = Sighting(hook.id + 1, channel.id, hook.id, BODY)
        assert await find_arrived(channel, attempt, (), [sighting]) == sighting.id


@pytest.mark.parametrize("field", ["channel", "hook", "time"])
def test_a_sighting_of_something_else_is_nothing(field: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            channel, hook, attempt = await begin(stage)
            sighting = Sighting(
                hook.id - 1 if field == "time" else hook.id + 1,
                1 if field == "channel" else channel.id,
                1 if field == "hook" else hook.id,
                BODY,
            )

            assert await find_arrived(channel, attempt, (), [sighting]) is None

    run()


@timeless
async def test_a_channel_that_is_too_lively_to_read_is_a_doubt() -> None:
    async with on_stage() as stage:
        channel, _, attempt = await begin(stage)
        for number in range(READ_CAP):
            stage.twin.say(stage.twin.channel, stage.twin.user, str(number))
        await asyncio.sleep(0)
        with pytest.raises(Uncertain, match="too much"):
            await find_arrived(channel, attempt, (), ())


def test_what_discord_changes_does_not_tell_two_messages_apart() -> None:
    assert describe("Lu\u200ana", " a\u200d b\n", (), 1) == describe("Lu na", "a b", [{"url": "x"}], 1)
    assert describe("Luna", "a", (), 1) != describe("Luna", "a", (), 0)
    assert describe("Luna", "", [{"description": "card"}], 0) == describe("Luna", "card", (), 0)
