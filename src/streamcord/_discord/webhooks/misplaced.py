"""What a webhook said in the wrong channel, because somebody moved it: found there and taken back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import discord

from ..._errors import DeliveryError, Unavailable, Uncertain
from .unconfirmed import Unconfirmed
from .webhook_cache import CachedWebhook, WebhookCache
from .webhook_message import WebhookMessage

__all__ = ["recall", "take_back"]

PAUSES = (0.0, 0.5, 2.0, 5.0)
"""Before each try to delete a message."""


async def take_back(hook: CachedWebhook, message_id: int, guild: discord.Guild, channel_id: int) -> bool:
    """Delete a webhook's message from a channel, in several tries; says whether it is gone."""
    for pause in PAUSES:
        await asyncio.sleep(pause)
        with suppress(DeliveryError):
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}")
            if answer.status in {401, 404}:
                # Gone, or out of its reach, because it was moved or deleted since.
                return await _delete_as_bot(guild.get_channel(channel_id), message_id)
            if answer.is_done:
                return True
    return False


async def _delete_as_bot(channel: Any, message_id: int) -> bool:  # noqa: ANN401 - of many kinds
    if channel is None:
        return False
    try:
        await channel.get_partial_message(message_id).delete()
    except Exception as error:
        return isinstance(error, discord.NotFound)
    return True


async def recall(
    message: WebhookMessage, hook: CachedWebhook, cache: WebhookCache, unconfirmed: Unconfirmed
) -> bool:
    """Look for an unconfirmed message in the channel its webhook was moved to, and delete it there.

    Says whether one was found and deleted.

    Raises `Uncertain` if it may stand in a place where nobody can look.
    """
    try:
        place = await cache.find_place(hook)
    except Unavailable as error:
        raise Uncertain(str(error), retryable=True) from error
    if place is None or place == message.home.id:
        return False
    cache.forget(hook)
    channel = message.home.guild.get_channel(place)
    if channel is None:
        raise Uncertain("the webhook was moved; it may have arrived elsewhere")
    found = await unconfirmed.look(message.key, channel)
    if found is None:
        return False
    if not await take_back(hook, found, message.home.guild, place):
        raise Uncertain("it arrived in another channel", retryable=True)
    unconfirmed.withdraw(message.key, None)
    return True
