"""What a channel does with voices of one's own."""

from __future__ import annotations

import discord

from delivery.stage import on_stage
from streamcord import Message, Receipt, Speaker, WebhookUnavailable
from streamcord._delivery.outgoing import OutgoingMessage
from streamcord._discord.protocols import WebhookSender
from virtual_time import timeless


class Mute:
    """Voices that never speak, and would be slow."""

    async def deliver(
        self,
        channel: discord.abc.Messageable,
        outgoing: OutgoingMessage,
        *,
        reply_to: discord.Message | None = None,
    ) -> Receipt:
        raise WebhookUnavailable("not here")

    async def find(self, channel: discord.abc.Messageable, outgoing: OutgoingMessage) -> Receipt | None:
        return None

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:
        return 60.0


@timeless
async def test_where_nobody_else_can_speak_the_bots_own_pace_counts() -> None:
    voices: WebhookSender = Mute()
    async with on_stage() as stage:
        channel = stage.channel(webhooks=voices)
        message = Message("Hi.", speaker=Speaker("Luna"))
        assert channel.pause(message) == 60.0
        await channel.send(message)

        assert stage.texts == ["**Luna:** Hi."]
        assert channel.pause(message) == 0.0
        assert channel.pause(Message("plain")) == 0.0
