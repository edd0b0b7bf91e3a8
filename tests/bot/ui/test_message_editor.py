"""Editing messages of webhooks remembers a bounded number of them."""

from __future__ import annotations

import discord

from bot.stage import on_stage
from streamcord.testing import ScriptedProvider
from streamcord_bot.ui.buttons import AnswerButton, make_buttons
from streamcord_bot.ui.message_editor import MessageEditor


async def test_webhooks_of_many_channels_are_not_kept_for_ever() -> None:
    """The editor forgets the webhook that was used least lately, and finds it again when it is needed."""
    async with on_stage(ScriptedProvider([])) as stage:
        twin, editor = stage.twin, MessageEditor(max_webhooks=2)
        view = make_buttons(AnswerButton("again", 1, "ff"))
        messages: list[tuple[discord.TextChannel, int]] = []
        rooms = [twin.state.add_channel(twin.guild, f"room-{number}").id for number in range(3)]
        await twin.until(lambda: all(map(stage.bot.get_channel, rooms)))
        for room in rooms:
            channel = stage.bot.get_channel(room)
            assert isinstance(channel, discord.TextChannel)
            webhook = await channel.create_webhook(name="streamcord")
            messages.append((channel, (await webhook.send("Hello.", wait=True)).id))

        async def count_lookups(number: int) -> int:
            """Edit the message of a channel; return how often webhooks were listed for that."""
            before = twin.log.count("webhooks.list")
            channel, message = messages[number]
            assert await editor.set_buttons(channel, message, view, by_webhook=True)
            return twin.log.count("webhooks.list") - before

        looked_up = [await count_lookups(number) for number in (0, 0, 1, 0, 2, 0, 1)]

    assert looked_up == [1, 0, 1, 0, 1, 0, 1]
