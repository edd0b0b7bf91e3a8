from __future__ import annotations

from typing import Any

import pytest

from delivery.stage import Stage, on_stage
from streamcord import Uncertain
from streamcord._discord.webhooks.lookback import Sighting, describe
from streamcord._discord.webhooks.unconfirmed import Doubts
from streamcord._discord.webhooks.webhook_cache import Hook, Hooks
from virtual import timeless

BODY = describe("Luna", "ha", (), 0)


async def begin(stage: Stage) -> tuple[Any, Hook]:
    return stage.find(), await Hooks().take(stage.find())


async def post(stage: Stage, hook: Hook, text: str = "ha") -> int:
    webhook = await stage.client.fetch_webhook(hook.id)
    return (await webhook.send(text, username="Luna", wait=True)).id


@timeless
async def test_nothing_is_in_doubt_at_first() -> None:
    async with on_stage() as stage:
        channel, hook = await begin(stage)
        await post(stage, hook)

        assert await Doubts(tuple).look("key", channel) is None


@timeless
async def test_what_arrived_is_found_by_its_key_and_then_explained() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        assert doubts.begin("one", channel, hook, BODY) is None
        sent = await post(stage, hook)
        assert await doubts.look("one", channel) == sent
        doubts.resolve("one", channel.id, sent)
        doubts.begin("two", channel, hook, BODY)

        assert await doubts.look("two", channel) is None


@timeless
async def test_what_was_refused_leaves_the_doubt_of_before() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        doubts.begin("key", channel, hook, BODY)
        doubts.withdraw("key", doubts.begin("key", channel, hook, BODY))
        sent = await post(stage, hook)
        assert await doubts.look("key", channel) == sent
        doubts.withdraw("key", None)

        assert await doubts.look("key", channel) is None


@timeless
async def test_a_second_attempt_looks_as_far_back_as_the_first() -> None:
    async with on_stage() as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        doubts.begin("key", channel, hook, BODY)
        late = await post(stage, hook)
        await stage.hear("in between")
        doubts.begin("key", channel, hook, BODY)

        assert await doubts.look("key", channel) == late


@timeless
async def test_two_that_read_the_same_are_not_taken_for_each_other() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        doubts.begin("one", channel, hook, BODY)
        doubts.begin("two", channel, hook, BODY)
        await post(stage, hook)
        with pytest.raises(Uncertain):
            await doubts.look("two", channel)
        second = await post(stage, hook)

        assert await doubts.look("two", channel) == second


@timeless
async def test_an_old_doubt_is_no_rival_once_something_of_ours_has_arrived_since() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        doubts.begin("one", channel, hook, BODY)
        await post(stage, hook)
        doubts.begin("two", channel, hook, describe("Luna", "other", (), 0))
        doubts.resolve("two", channel.id, await post(stage, hook, "other"))
        doubts.begin("three", channel, hook, BODY)
        assert await doubts.look("three", channel) is None
        third = await post(stage, hook)

        assert await doubts.look("three", channel) == third


@timeless
async def test_what_the_gateway_showed_counts() -> None:
    async with on_stage(deaf=True) as stage:
        channel, hook = await begin(stage)
        sighting = Sighting(hook.id + 1, channel.id, hook.id, BODY)
        doubts = Doubts(lambda: [sighting])
        doubts.begin("key", channel, hook, BODY)

        assert await doubts.look("key", channel) == sighting.id


@timeless
async def test_in_a_thread_nothing_is_older_than_the_thread() -> None:
    async with on_stage(deaf=True) as stage:
        hook = await Hooks().take(stage.find())
        thread = await stage.find().create_thread(name="talk", message=await stage.find().send("start"))
        doubts = Doubts(tuple)
        doubts.begin("key", thread, hook, BODY)
        webhook = await stage.client.fetch_webhook(hook.id)
        sent = await webhook.send("ha", username="Luna", thread=thread, wait=True)

        assert await doubts.look("key", thread) == sent.id


@timeless
async def test_a_message_that_has_its_receipt_is_nobody_elses() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), doubts = await begin(stage), Doubts(tuple)
        doubts.begin("one", channel, hook, BODY)
        doubts.begin("two", channel, hook, BODY)
        doubts.resolve("one", channel.id, await post(stage, hook))

        assert await doubts.look("two", channel) is None
