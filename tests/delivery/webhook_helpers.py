"""What tests of webhooks share: a persona's words, and a sender as patient as a courier."""

from __future__ import annotations

import asyncio
from typing import Any

import discord

from delivery.stage import Stage
from streamcord import DeliveryUnavailable, Message, Receipt, Speaker
from streamcord._delivery.outgoing import OutgoingMessage, build_outgoing
from streamcord._discord.webhooks.sender import Webhooks

LUNA = Speaker("Luna", "https://example.com/luna.png")


def words(text: str, part: int = 0, speaker: Speaker = LUNA, **more: Any) -> OutgoingMessage:
    """A parcel of one message."""
    return build_outgoing("turn", part, Message(text, speaker=speaker, **more))


async def insist(
    webhooks: Webhooks,
    channel: discord.abc.Messageable,
    outgoing: OutgoingMessage,
    *,
    reply_to: discord.Message | None = None,
    tries: int = 5,
) -> Receipt:
    """Deliver as a courier does: wait where it must, and come again while that is safe."""
    while True:
        await asyncio.sleep(webhooks.pause(channel, outgoing.message))
        try:
            return await webhooks.deliver(channel, outgoing, reply_to=reply_to)
        except DeliveryUnavailable as error:
            tries -= 1
            if not tries:
                raise
            await asyncio.sleep(error.retry_after or 1.0)


def shown(stage: Stage) -> list[tuple[str, str]]:
    """Who seems to have said what in the first channel."""
    return [(one.shown_name, one.content) for one in stage.sent]
