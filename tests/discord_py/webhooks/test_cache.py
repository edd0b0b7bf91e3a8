from __future__ import annotations

import asyncio

import discord
import pytest

from delivery.stage import on_stage
from discord_twin import ChannelType, FaultKind, Permission, TwinOptions
from streamcord import ChannelGone, DeliveryUnavailable, WebhookUnavailable
from streamcord._discord.webhooks.cache import RECHECK_AFTER_S, REFUSAL_MEMORY_S, WebhookCache, WebhookEvents
from virtual_time import timeless

# --- Webhook cache ---


@timeless
async def test_a_webhook_is_made_once_and_then_known() -> None:
    async with on_stage() as stage:
        cache = WebhookCache("our own")
        first, second = await cache.get(stage.find()), await cache.get(stage.find())
        (webhook,) = stage.twin.state.webhooks.values()

        assert first == second
        assert (first.id, first.token, webhook.name) == (webhook.id, webhook.token, "our own")
        assert webhook.token not in repr(first)
        assert len(stage.twin.log.of("webhooks.list", "webhooks.create", "webhooks.get")) == 2


@timeless
async def test_many_channels_at_once_stay_below_the_limit_of_the_bot() -> None:
    async with on_stage(TwinOptions()) as stage:
        channels = [stage.twin.add_channel(f"c{number}") for number in range(80)]
        await asyncio.sleep(1)
        found = [stage.find(channel) for channel in channels]
        cache = WebhookCache()
        await asyncio.gather(*(cache.get(one) for one in found))

        assert len(stage.twin.state.webhooks) == 80
        assert [one for one in stage.twin.log.requests if one.status == 429] == []


@timeless
async def test_of_two_of_our_own_the_older_is_used() -> None:
    async with on_stage() as stage:
        state, bot = stage.twin.state, stage.twin.bot.user
        older = state.add_webhook(stage.twin.channel, "streamcord", bot)
        state.add_webhook(stage.twin.channel, "streamcord", bot)
        state.add_webhook(stage.twin.channel, "another name", bot)

        assert (await WebhookCache().get(stage.find())).id == older.id


def test_missing_webhook_slot_is_logged_once_and_retried_later(caplog: pytest.LogCaptureFixture) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.configure(max_webhooks=0)
            cache = WebhookCache()
            for _ in range(3):
                with pytest.raises(WebhookUnavailable, match="as many webhooks"):
                    await cache.get(stage.find())
            assert stage.twin.log.count("webhooks.create") == 1
            stage.twin.configure(max_webhooks=15)
            await asyncio.sleep(REFUSAL_MEMORY_S + 1)

            assert (await cache.get(stage.find())).channel_id == stage.find().id

    run()
    assert sum("cannot use a webhook in channel" in record.message for record in caplog.records) == 1


@timeless
async def test_news_are_worth_another_try() -> None:
    async with on_stage() as stage:
        stage.twin.configure(max_webhooks=0)
        cache = WebhookCache()
        with pytest.raises(WebhookUnavailable):
            await cache.get(stage.find())
        stage.twin.configure(max_webhooks=15)
        cache.recheck(stage.find().id)

        assert (await cache.get(stage.find())).channel_id == stage.find().id


@timeless
async def test_a_permission_that_is_granted_is_used_at_once() -> None:
    async with on_stage() as stage:
        state, cache = stage.twin.state, WebhookCache()
        state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=Permission.MANAGE_WEBHOOKS)
        await stage.hear("ping")
        with pytest.raises(WebhookUnavailable, match="may not manage"):
            await cache.get(stage.find())
        state.overwrite(stage.twin.channel, stage.twin.bot.user)
        await stage.hear("ping")

        assert (await cache.get(stage.find())).channel_id == stage.find().id


@timeless
async def test_a_permission_that_discord_knows_better_is_a_refusal_too() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "webhooks.list", code=50013)
        with pytest.raises(WebhookUnavailable, match="may not manage"):
            await WebhookCache().get(stage.find())


@timeless
async def test_a_channel_that_is_gone_is_gone() -> None:
    async with on_stage() as stage:
        channel = stage.find()
        stage.twin.inject_fault(FaultKind.DELETE_CHANNEL, "webhooks.list")
        with pytest.raises(ChannelGone):
            await WebhookCache().get(channel)


@pytest.mark.parametrize("route", ["webhooks.list", "webhooks.create"])
def test_a_lost_answer_may_be_asked_again_and_makes_no_second_webhook(route: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            cache = WebhookCache()
            # aiohttp itself repeats a question whose connection breaks, once.
            stage.twin.inject_fault(
                FaultKind.COMMIT_THEN_DROP_ACK, route, times=1 if route.endswith("create") else 2
            )
            with pytest.raises(DeliveryUnavailable):
                await cache.get(stage.find())
            await cache.get(stage.find())

            assert len(stage.twin.state.webhooks) == 1

    run()


@timeless
async def test_one_that_is_gone_is_never_asked_again() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        old = await cache.get(stage.find())
        cache.mark_deleted(old)
        new = await cache.get(stage.find())

        # Even where Discord's list still shows it.
        assert new.id != old.id


@timeless
async def test_one_that_is_forgotten_is_found_again() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        old = await cache.get(stage.find())
        cache.forget(old)
        cache.forget(old)

        assert (await cache.get(stage.find())).id == old.id


@timeless
async def test_without_news_it_is_looked_at_now_and_then() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        for _ in range(3):
            await cache.get(stage.find())
        assert stage.twin.log.count("webhooks.get") == 0
        await asyncio.sleep(RECHECK_AFTER_S + 1)
        await cache.get(stage.find())

        assert stage.twin.log.count("webhooks.get") == 1


@pytest.mark.parametrize(
    "fault", [FaultKind.STATUS, FaultKind.RATE_USER, FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.ACK_GARBLED]
)
def test_while_it_cannot_be_looked_at_it_is_not_used(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            cache = WebhookCache()
            hook = await cache.get(stage.find())
            cache.recheck(stage.find().id)
            # aiohttp itself repeats a question whose connection breaks, once.
            times = 2 if fault is FaultKind.CLOSE_BEFORE_COMMIT else 1
            stage.twin.inject_fault(fault, "webhooks.get", seconds=7.5, times=times)
            with pytest.raises(DeliveryUnavailable) as raised:
                await cache.get(stage.find())

            assert raised.value.retry_after == (7.5 if fault is FaultKind.RATE_USER else None)
            assert await cache.get(stage.find()) == hook

    run()


@timeless
async def test_voice_channels_and_forums_have_webhooks_too() -> None:
    async with on_stage() as stage:
        places = [stage.twin.add_channel(kind.name, kind) for kind in (ChannelType.VOICE, ChannelType.FORUM)]
        await stage.hear("ping")
        cache = WebhookCache()

        assert [(await cache.get(stage.find(place))).channel_id for place in places] == [
            place.id for place in places
        ]


# --- Webhook events ---


@timeless
async def test_events_are_received_next_to_the_users_own_handlers() -> None:
    async with on_stage() as stage:
        heard: list[int] = []

        @stage.client.event
        async def on_webhooks_update(channel: discord.abc.GuildChannel) -> None:
            heard.append(channel.id)

        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        events.attach(stage.client)
        await cache.get(stage.find())
        await stage.hear("ping")
        before = stage.twin.log.count("webhooks.get")
        await cache.get(stage.find())
        await cache.get(stage.find())

        # The news of its making lets it be looked at once more, and once only.
        assert stage.twin.log.count("webhooks.get") == before + 1
        assert heard == [stage.twin.channel.id]


@timeless
async def test_only_messages_of_our_webhooks_are_kept() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        hook = await cache.get(stage.find())
        await stage.find().send("by the bot")
        webhook = await stage.client.fetch_webhook(hook.id)
        sent = await webhook.send("by us", username="Luna", wait=True)
        other = await stage.find().create_webhook(name="other")
        await other.send("by others", wait=True)
        await stage.hear("ping")

        (seen,) = events.seen_messages
        assert (seen.id, seen.channel_id, seen.hook_id) == (sent.id, stage.find().id, hook.id)


@timeless
async def test_detached_listener_receives_nothing_and_is_removed() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        assert cache.receives_updates
        events.detach()
        hook = await cache.get(stage.find())
        await (await stage.client.fetch_webhook(hook.id)).send("by us", wait=True)
        await stage.hear("ping")
        await asyncio.sleep(0)

        assert [*events.seen_messages] == []
        assert not cache.receives_updates


@timeless
async def test_a_new_session_may_have_missed_news() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        WebhookEvents(cache).attach(stage.client)
        await cache.get(stage.find())
        await stage.hear("ping")
        await cache.get(stage.find())
        before = stage.twin.log.count("webhooks.get")
        stage.twin.gateway.invalidate(resumable=False)
        await stage.twin.until(lambda: stage.twin.gateway.identifies == 2)
        await stage.client.wait_for("ready", timeout=10)
        await cache.get(stage.find())

        assert stage.twin.log.count("webhooks.get") == before + 1
