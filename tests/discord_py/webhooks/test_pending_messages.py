from __future__ import annotations

import asyncio
from typing import Any

import pytest

from delivery.stage import FREE, Stage, on_stage
from discord_twin import FaultKind, TwinOptions
from streamcord import DeliveryUncertain
from streamcord._discord.webhooks.cache import CachedWebhook, WebhookCache
from streamcord._discord.webhooks.message_matching import SeenMessage, describe, seen_message
from streamcord._discord.webhooks.pending_messages import (
    MAX_HISTORY_MESSAGES,
    Attempt,
    PendingMessages,
    find_delivered,
)
from virtual_time import timeless

# --- Lookback ---

BODY = describe("Luna", "hello there", (), 0)


async def post(stage: Stage, hook: CachedWebhook, text: str, name: str = "Luna") -> int:
    webhook = await stage.client.fetch_webhook(hook.id)
    return (await webhook.send(text, username=name, wait=True)).id


async def begin(stage: Stage) -> tuple[Any, CachedWebhook, Attempt]:
    """A channel, a webhook, and an attempt that may have arrived behind what was said so far."""
    channel = stage.find()
    hook = await WebhookCache().get(channel)
    return channel, hook, Attempt(hook, channel.id, hook.id, BODY)


@timeless
async def test_what_is_there_is_found_among_others() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        await channel.send("hello there")
        sent = await post(stage, hook, "hello there")
        await stage.hear("hello there")

        assert await find_delivered(channel, attempt, (), ()) == sent


@timeless
async def test_what_is_not_there_is_not() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        other = await channel.create_webhook(name="other")
        await other.send("hello there", username="Luna")
        known = await post(stage, hook, "hello there")

        assert await find_delivered(channel, attempt, {known}, ()) is None


@timeless
async def test_what_stood_there_before_is_somebody_elses() -> None:
    async with on_stage() as stage:
        channel, hook, _ = await begin(stage)
        before = await post(stage, hook, "hello there")

        assert await find_delivered(channel, Attempt(hook, channel.id, before, BODY), (), ()) is None


@pytest.mark.parametrize("text", ["hello there, edited", "h"])
def test_a_message_of_ours_that_nobody_can_explain_is_a_doubt(text: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            channel, hook, attempt = await begin(stage)
            await post(stage, hook, text)
            with pytest.raises(DeliveryUncertain):
                await find_delivered(channel, attempt, (), ())

    run()


@timeless
async def test_of_two_that_read_the_same_one_must_be_left_for_each() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        await post(stage, hook, "hello there")
        with pytest.raises(DeliveryUncertain):
            await find_delivered(channel, attempt, (), (), ambiguous=1)
        second = await post(stage, hook, "hello there")

        assert await find_delivered(channel, attempt, (), (), ambiguous=1) == second


@timeless
async def test_without_the_intent_the_webhook_itself_is_asked() -> None:
    switches = TwinOptions(
        buckets={}, other_bucket=FREE.other_bucket, global_rps=0, message_content_intent=False
    )
    async with on_stage(switches, content=False) as stage:
        channel, hook, attempt = await begin(stage)
        sent = await post(stage, hook, "hello there")
        (seen,) = [one async for one in channel.history(limit=1)]

        assert (seen.content, seen_message(seen).body) == ("", "")
        assert await find_delivered(channel, attempt, (), ()) == sent


@timeless
async def test_what_cannot_be_read_at_all_stays_in_doubt() -> None:
    switches = TwinOptions(
        buckets={}, other_bucket=FREE.other_bucket, global_rps=0, message_content_intent=False
    )
    for fault in (FaultKind.STATUS, FaultKind.CLOSE_BEFORE_COMMIT):
        async with on_stage(switches, content=False) as stage:
            channel, hook, attempt = await begin(stage)
            await post(stage, hook, "hello there")
            stage.twin.inject_fault(fault, "webhooks.message", times=2)
            with pytest.raises(DeliveryUncertain):
                await find_delivered(channel, attempt, (), ())


@timeless
async def test_a_channel_that_cannot_be_read_proves_nothing() -> None:
    async with on_stage() as stage:
        channel, hook, attempt = await begin(stage)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.list", code=50001, times=2)
        with pytest.raises(DeliveryUncertain):
            await find_delivered(channel, attempt, (), ())
        # What the gateway showed is proof all the same.
        seen = SeenMessage(hook.id + 1, channel.id, hook.id, BODY)
        assert await find_delivered(channel, attempt, (), [seen]) == seen.id


@pytest.mark.parametrize("field", ["channel", "hook", "time"])
def test_a_sighting_of_something_else_is_nothing(field: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            channel, hook, attempt = await begin(stage)
            seen = SeenMessage(
                hook.id - 1 if field == "time" else hook.id + 1,
                1 if field == "channel" else channel.id,
                1 if field == "hook" else hook.id,
                BODY,
            )

            assert await find_delivered(channel, attempt, (), [seen]) is None

    run()


@timeless
async def test_a_channel_that_is_too_lively_to_read_is_a_doubt() -> None:
    async with on_stage() as stage:
        channel, _, attempt = await begin(stage)
        for number in range(MAX_HISTORY_MESSAGES):
            stage.twin.say(stage.twin.channel, stage.twin.user, str(number))
        await asyncio.sleep(0)
        with pytest.raises(DeliveryUncertain, match="too many messages"):
            await find_delivered(channel, attempt, (), ())


def test_changes_by_discord_do_not_distinguish_messages() -> None:
    assert describe("Lu\u200ana", " a\u200d b\n", (), 1) == describe("Lu na", "a b", [{"url": "x"}], 1)
    assert describe("Luna", "a", (), 1) != describe("Luna", "a", (), 0)
    assert describe("Luna", "", [{"description": "card"}], 0) == describe("Luna", "card", (), 0)


# --- Unconfirmed ---

BODY_SENT = describe("Luna", "ha", (), 0)


async def begin_pending(stage: Stage) -> tuple[Any, CachedWebhook]:
    return stage.find(), await WebhookCache().get(stage.find())


async def post_pending(stage: Stage, hook: CachedWebhook, text: str = "ha") -> int:
    webhook = await stage.client.fetch_webhook(hook.id)
    return (await webhook.send(text, username="Luna", wait=True)).id


@timeless
async def test_nothing_is_in_doubt_at_first() -> None:
    async with on_stage() as stage:
        channel, hook = await begin_pending(stage)
        await post_pending(stage, hook)

        assert await PendingMessages(tuple).find_in_channel("key", channel) is None


@timeless
async def test_what_arrived_is_found_by_its_key_and_then_explained() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        assert pending.begin("one", channel, hook, BODY_SENT) is None
        sent = await post_pending(stage, hook)
        assert await pending.find_in_channel("one", channel) == sent
        pending.resolve("one", channel.id, sent)
        pending.begin("two", channel, hook, BODY_SENT)

        assert await pending.find_in_channel("two", channel) is None


@timeless
async def test_what_was_refused_leaves_the_doubt_of_before() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        pending.begin("key", channel, hook, BODY_SENT)
        pending.withdraw("key", pending.begin("key", channel, hook, BODY_SENT))
        sent = await post_pending(stage, hook)
        assert await pending.find_in_channel("key", channel) == sent
        pending.withdraw("key", None)

        assert await pending.find_in_channel("key", channel) is None


@timeless
async def test_a_second_attempt_looks_as_far_back_as_the_first() -> None:
    async with on_stage() as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        pending.begin("key", channel, hook, BODY_SENT)
        late = await post_pending(stage, hook)
        await stage.hear("in between")
        pending.begin("key", channel, hook, BODY_SENT)

        assert await pending.find_in_channel("key", channel) == late


@timeless
async def test_two_that_read_the_same_are_not_taken_for_each_other() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        pending.begin("one", channel, hook, BODY_SENT)
        pending.begin("two", channel, hook, BODY_SENT)
        await post_pending(stage, hook)
        with pytest.raises(DeliveryUncertain):
            await pending.find_in_channel("two", channel)
        second = await post_pending(stage, hook)

        assert await pending.find_in_channel("two", channel) == second


@timeless
async def test_an_old_doubt_is_no_rival_once_something_of_ours_has_arrived_since() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        pending.begin("one", channel, hook, BODY_SENT)
        await post_pending(stage, hook)
        pending.begin("two", channel, hook, describe("Luna", "other", (), 0))
        pending.resolve("two", channel.id, await post_pending(stage, hook, "other"))
        pending.begin("three", channel, hook, BODY_SENT)
        assert await pending.find_in_channel("three", channel) is None
        third = await post_pending(stage, hook)

        assert await pending.find_in_channel("three", channel) == third


@timeless
async def test_what_the_gateway_showed_counts() -> None:
    async with on_stage(deaf=True) as stage:
        channel, hook = await begin_pending(stage)
        seen = SeenMessage(hook.id + 1, channel.id, hook.id, BODY_SENT)
        pending = PendingMessages(lambda: [seen])
        pending.begin("key", channel, hook, BODY_SENT)

        assert await pending.find_in_channel("key", channel) == seen.id


@timeless
async def test_in_a_thread_nothing_is_older_than_the_thread() -> None:
    async with on_stage(deaf=True) as stage:
        hook = await WebhookCache().get(stage.find())
        thread = await stage.find().create_thread(name="talk", message=await stage.find().send("start"))
        pending = PendingMessages(tuple)
        pending.begin("key", thread, hook, BODY_SENT)
        webhook = await stage.client.fetch_webhook(hook.id)
        sent = await webhook.send("ha", username="Luna", thread=thread, wait=True)

        assert await pending.find_in_channel("key", thread) == sent.id


@timeless
async def test_a_message_that_has_its_receipt_is_nobody_elses() -> None:
    async with on_stage(deaf=True) as stage:
        (channel, hook), pending = await begin_pending(stage), PendingMessages(tuple)
        pending.begin("one", channel, hook, BODY_SENT)
        pending.begin("two", channel, hook, BODY_SENT)
        pending.resolve("one", channel.id, await post_pending(stage, hook))

        assert await pending.find_in_channel("two", channel) is None
