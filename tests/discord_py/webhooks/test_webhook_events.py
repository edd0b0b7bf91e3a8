from __future__ import annotations

import asyncio

import discord

from delivery.stage import on_stage
from streamcord._discord.webhooks.webhook_cache import WebhookCache
from streamcord._discord.webhooks.webhook_events import WebhookEvents
from virtual import timeless


@timeless
async def test_news_are_heard_beside_the_users_own_handlers() -> None:
    async with on_stage() as stage:
        heard: list[int] = []

        @stage.client.event
        async def on_webhooks_update(channel: discord.abc.GuildChannel) -> None:
            heard.append(channel.id)

        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        events.attach(stage.client)
        await cache.take(stage.find())
        await stage.hear("ping")
        before = stage.twin.log.count("webhooks.get")
        await cache.take(stage.find())
        await cache.take(stage.find())

        # The news of its making lets it be looked at once more, and once only.
        assert stage.twin.log.count("webhooks.get") == before + 1
        assert heard == [stage.twin.channel.id]


@timeless
async def test_only_messages_of_our_webhooks_are_kept() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        hook = await cache.take(stage.find())
        await stage.find().send("by the bot")
        webhook = await stage.client.fetch_webhook(hook.id)
        sent = await webhook.send("by us", username="Luna", wait=True)
        other = await stage.find().create_webhook(name="other")
        await other.send("by others", wait=True)
        await stage.hear("ping")

        (seen,) = events.seen_messages
        assert (seen.id, seen.channel_id, seen.hook_id) == (sent.id, stage.find().id, hook.id)


@timeless
async def test_who_is_detached_hears_nothing_and_leaves_nothing_behind() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        events = WebhookEvents(cache)
        events.attach(stage.client)
        assert cache.hears_changes
        events.detach()
        hook = await cache.take(stage.find())
        await (await stage.client.fetch_webhook(hook.id)).send("by us", wait=True)
        await stage.hear("ping")
        await asyncio.sleep(0)

        assert [*events.seen_messages] == []
        assert not cache.hears_changes


@timeless
async def test_a_new_session_may_have_missed_news() -> None:
    async with on_stage() as stage:
        cache = WebhookCache()
        WebhookEvents(cache).attach(stage.client)
        await cache.take(stage.find())
        await stage.hear("ping")
        await cache.take(stage.find())
        before = stage.twin.log.count("webhooks.get")
        stage.twin.gateway.invalidate(resumable=False)
        await stage.twin.until(lambda: stage.twin.gateway.identifies == 2)
        await stage.client.wait_for("ready", timeout=10)
        await cache.take(stage.find())

        assert stage.twin.log.count("webhooks.get") == before + 1
