from __future__ import annotations

from typing import Any

import pytest

from delivery.stage import Stage, on_stage
from delivery.webhook_helpers import words
from discord_twin import Channel, FaultKind
from streamcord import Attachment, DeliveryUncertain, Message, Table
from streamcord._delivery.outgoing import AllowedMentions, build_outgoing
from streamcord._discord.webhooks.appearance import Appearance
from streamcord._discord.webhooks.cache import CachedWebhook, WebhookCache
from streamcord._discord.webhooks.message import WebhookMessage, delete_message, delete_misplaced
from streamcord._discord.webhooks.pending_messages import PendingMessages
from streamcord._events import Align
from virtual_time import now, timeless

# --- Webhook message ---


class Place:
    def __init__(self, id_: int) -> None:
        self.id = id_


def webhook_message(message: Message, channel: int = 1, home: int = 1, **more: Any) -> WebhookMessage:
    place: Any = Place(home)
    appearance = Appearance("Luna", message.content, embeds=more.pop("embeds", ()))
    return WebhookMessage(Place(channel), place, build_outgoing("turn", 0, message, **more), appearance)


def test_allowed_mentions_are_always_set() -> None:
    nobody = webhook_message(Message("x")).payload(None)["allowed_mentions"]
    some = webhook_message(
        Message("x"), allowed_mentions=AllowedMentions(users=(7, 7, 8), replied_user=True)
    ).payload(None)

    assert nobody == {"parse": [], "replied_user": False, "users": [], "roles": []} or nobody["parse"] == []
    assert some["allowed_mentions"]["users"] == [7, 8]
    assert not some["allowed_mentions"].get("replied_user")


def test_a_thread_is_named_and_a_channel_is_not() -> None:
    assert webhook_message(Message("x")).thread == {}
    assert webhook_message(Message("x"), channel=2).thread == {"thread_id": "2"}


def test_previews_are_hidden_unless_an_embed_is_ours() -> None:
    assert webhook_message(Message("x"), previews=False).payload(None)["flags"] == 4
    shown = webhook_message(Message("x"), previews=False, embeds=({"title": "y"},)).payload(None)
    assert "flags" not in shown
    assert shown["embeds"] == [{"title": "y"}]


def test_files_are_described_and_values_that_were_not_drawn_are_left_out() -> None:
    table = Table((), (), (Align.LEFT,), "|a|")
    files = (Attachment("../a.txt", b"a", "x" * 2000), table, Attachment("b.txt", b"b"))
    payload = webhook_message(Message("", files=files)).payload("https://example.com/a.png")

    assert payload["attachments"] == [
        {"id": 0, "filename": "a.txt", "description": "x" * 1024},
        {"id": 1, "filename": "b.txt"},
    ]
    assert payload["avatar_url"] == "https://example.com/a.png"


def test_each_remedy_is_tried_once() -> None:
    one = webhook_message(Message("x"))

    assert [one.try_once("name"), one.try_once("name"), one.try_once("avatar")] == [True, False, True]


# --- Misplaced ---

MESSAGE = "webhooks.message"


async def begin(stage: Stage) -> tuple[WebhookMessage, CachedWebhook, WebhookCache, PendingMessages]:
    """A message that is in doubt."""
    channel, cache, pending = stage.find(), WebhookCache(), PendingMessages(tuple)
    hook = await cache.get(channel)
    webhook_message = WebhookMessage(channel, channel, words("secret"), Appearance("Luna", "secret"))
    pending.begin(webhook_message.key, channel, hook, webhook_message.body)
    return webhook_message, hook, cache, pending


async def post(stage: Stage, hook: CachedWebhook) -> int:
    answer = await hook.http.request(
        "POST", hook.path, {"content": "secret", "username": "Luna"}, params={"wait": "true"}
    )
    return int(answer.body["id"])


async def move(stage: Stage) -> Channel:
    elsewhere = stage.twin.add_channel("elsewhere")
    (hook,) = stage.twin.state.webhooks.values()
    stage.twin.state.move_webhook(hook, elsewhere)
    await stage.hear("ping")
    return elsewhere


@timeless
async def test_what_stands_elsewhere_is_taken_back_and_no_longer_in_doubt() -> None:
    async with on_stage() as stage:
        webhook_message, hook, cache, pending = await begin(stage)
        elsewhere = await move(stage)
        await post(stage, hook)

        assert await delete_misplaced(webhook_message, hook, cache, pending)
        assert elsewhere.texts == []
        assert pending.find_hook(webhook_message.key) is None


@timeless
async def test_a_webhook_that_is_at_home_or_gone_said_nothing_elsewhere() -> None:
    async with on_stage() as stage:
        webhook_message, hook, cache, pending = await begin(stage)
        assert not await delete_misplaced(webhook_message, hook, cache, pending)
        stage.twin.state.webhooks.clear()

        assert not await delete_misplaced(webhook_message, hook, cache, pending)


@timeless
async def test_one_that_was_moved_in_silence_said_nothing_there() -> None:
    async with on_stage() as stage:
        webhook_message, hook, cache, pending = await begin(stage)
        await move(stage)

        assert not await delete_misplaced(webhook_message, hook, cache, pending)
        assert pending.find_hook(webhook_message.key) == hook


@pytest.mark.parametrize("trouble", ["no answer", "unknown channel", "not deleted"])
def test_what_cannot_be_ruled_out_stays_in_doubt(trouble: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhook_message, hook, cache, pending = await begin(stage)
            elsewhere = await move(stage)
            await post(stage, hook)
            guild: Any = webhook_message.parent.guild
            if trouble == "no answer":
                stage.twin.inject_fault(FaultKind.STATUS, "webhooks.get")
            elif trouble == "unknown channel":
                guild._remove_channel(guild.get_channel(elsewhere.id))
            else:
                stage.twin.inject_fault(FaultKind.STATUS, MESSAGE, times=10)
                stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.delete", code=50013)
            with pytest.raises(DeliveryUncertain):
                await delete_misplaced(webhook_message, hook, cache, pending)

    run()


@timeless
async def test_deletion_is_retried_and_a_missing_message_counts_as_deleted() -> None:
    async with on_stage() as stage:
        _, hook, *_ = await begin(stage)
        sent = await post(stage, hook)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, MESSAGE)
        began = now()

        assert await delete_message(hook, sent, stage.find().guild, stage.find().id)
        assert stage.texts == []
        assert now() - began == pytest.approx(0.5, abs=0.1)


@timeless
async def test_what_its_webhook_can_no_longer_reach_the_bot_deletes() -> None:
    async with on_stage() as stage:
        _, hook, *_ = await begin(stage)
        sent = await post(stage, hook)
        await move(stage)
        assert not await delete_message(hook, sent, stage.find().guild, 1)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.delete", code=50013)
        assert not await delete_message(hook, sent, stage.find().guild, stage.find().id)
        assert await delete_message(hook, sent, stage.find().guild, stage.find().id)

        assert stage.texts == []


@timeless
async def test_bot_deletes_in_a_channel_that_the_gateway_has_not_announced() -> None:
    async with on_stage() as stage:
        _, hook, *_ = await begin(stage)
        elsewhere = await move(stage)
        sent = await post(stage, hook)
        await move(stage)
        guild: Any = stage.find().guild
        guild._remove_channel(guild.get_channel(elsewhere.id))

        assert await delete_message(hook, sent, guild, elsewhere.id)
        assert elsewhere.messages == {}
