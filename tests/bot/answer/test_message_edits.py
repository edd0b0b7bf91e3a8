"""Buttons on and off messages, and messages away, as the bot and through its webhook."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.stage import Stage, make_config, on_stage
from streamcord._bot.answer.buttons import TurnButton, make_view
from streamcord.testing import ScriptedProvider
from streamcord.twin import Channel, Message


async def spoken(stage: Stage, channel: Channel) -> tuple[Any, Message]:
    """A message of the bot in a channel, and the channel as the bot knows it."""
    stage.ask("hi", channel)
    message = await stage.twin.next_message(channel)
    await stage.quiet()
    return stage.bot.get_channel(channel.id), message


@pytest.mark.parametrize("alter", [False, True])
@pytest.mark.parametrize("thread", [False, True])
async def test_buttons_come_and_go_and_so_does_the_message(alter: bool, thread: bool) -> None:
    config = make_config(personas={"Luna": {"alter": alter}})
    async with on_stage(ScriptedProvider(["Hello."]), config=config) as stage:
        room = stage.twin.add_thread("talk") if thread else stage.twin.channel
        channel, message = await spoken(stage, room)
        hand = stage.bot.services.hand

        assert await hand.dress(channel, message.id, make_view(TurnButton("again", 1, "ff")), voiced=alter)
        assert message.draft.components
        assert await hand.dress(channel, message.id, None, voiced=alter)
        assert not message.draft.components
        assert message.content == "Hello."
        await hand.take_back(channel, [message.id, message.id])
        assert message.id not in room.messages


async def test_what_cannot_be_reached_is_left_as_it_is() -> None:
    async with on_stage(ScriptedProvider(["Hello."])) as stage:
        channel, message = await spoken(stage, stage.twin.channel)
        hand = stage.bot.services.hand
        view = make_view(TurnButton("again", 1, "ff"))

        assert not await hand.dress(channel, message.id, view, voiced=True)
        assert not await hand.dress(channel, 1, view)
        foreign = stage.twin.say(stage.twin.channel, stage.twin.user, "mine")
        assert not await hand.dress(channel, foreign.id, view)
        dm = stage.bot.get_partial_messageable(stage.twin.dm().id)
        assert not await hand.dress(dm, 1, view, voiced=True)
        assert isinstance(channel, discord.TextChannel)
