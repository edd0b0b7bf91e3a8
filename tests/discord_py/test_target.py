"""discord.py's own objects given to `say`, with the real client on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from delivery.stage import Stage, on_stage
from streamcord import Degree, DeliveryError, Settings, say
from streamcord._discord.channel import DiscordChannel
from streamcord._discord.target import find_transport
from virtual import timeless

LINES = Settings(degree=Degree.LIGHT)


async def model() -> AsyncIterator[str]:
    yield "Hi @everyone!\n"
    yield "Bye."


@timeless
async def test_a_channel_is_sent_to_as_it_is_and_pings_nobody() -> None:
    async with on_stage() as stage:
        result = await say(stage.find(), model(), settings=LINES)

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert stage.twin.log.pinged == set()
        assert result.text == "Hi @everyone!\nBye."


@timeless
async def test_a_message_is_replied_to() -> None:
    async with on_stage() as stage:
        message = await stage.hear("Hello?")
        await say(message, model(), settings=LINES)

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert [one.draft.reply_ids for one in stage.sent] == [(message.channel.id, message.id), None]


@timeless
async def test_an_interaction_is_answered() -> None:
    async with on_stage() as stage:
        tree = app_commands.CommandTree(stage.client)
        done = asyncio.Event()

        @tree.command(description="ask something")
        async def question(interaction: discord.Interaction[Any]) -> None:
            await say(interaction, model(), settings=LINES)
            done.set()

        await tree.sync()
        asked = stage.twin.slash("question")
        await done.wait()

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert asked.original is stage.sent[0]


async def context(stage: Stage, text: str) -> commands.Context[Any]:
    """What a command of discord.ext.commands is called with."""
    message = await stage.hear(text)
    bot = commands.Bot("!", intents=discord.Intents.none())
    return commands.Context(message=message, bot=bot, view=commands.view.StringView(text))


@timeless
async def test_the_context_of_a_command_is_its_message() -> None:
    async with on_stage() as stage:
        place = await context(stage, "!ask")
        await say(place, model(), settings=LINES)

        assert [one.draft.reply_ids for one in stage.sent] == [(place.channel.id, place.message.id), None]


@timeless
async def test_a_person_has_no_channel_until_one_is_opened() -> None:
    async with on_stage() as stage:
        user = stage.client.get_user(stage.twin.user.id) or (await stage.hear("Hello?")).author

        with pytest.raises(TypeError, match=r"write `say\(await user.create_dm\(\)"):
            await say(user, model())

        assert stage.texts == []


@timeless
async def test_what_is_no_place_for_words_is_refused() -> None:
    async with on_stage() as stage:
        channel: Any = stage.find()
        hook = discord.Webhook.partial(1, "x" * 60, client=stage.client)

        with pytest.raises(TypeError, match=r"discord\.Guild: give it a text channel"):
            await say(channel.guild, model())
        with pytest.raises(TypeError, match=r"discord\.Webhook: .*Webhooks\(client\)"):
            await say(hook, model())  # type: ignore[arg-type]

        assert stage.texts == []


@timeless
async def test_a_forum_is_told_apart_from_its_threads() -> None:
    async with on_stage() as stage:
        channel: Any = stage.find()
        values: Any = {"id": "77", "type": 15, "name": "help", "position": 1}
        forum = discord.ForumChannel(state=channel._state, guild=channel.guild, data=values)

        with pytest.raises(TypeError, match="holds threads: give it one of them"):
            await say(forum, model())  # type: ignore[arg-type]


async def test_a_channel_of_a_closed_client_is_a_delivery_error() -> None:
    async with on_stage() as stage:
        channel = stage.find()
        await stage.client.close()

        with pytest.raises(DeliveryError, match="client that is closed"):
            await say(channel, model())

        assert stage.texts == []


@timeless
async def test_what_is_not_of_discord_py_is_nobodys_business_here() -> None:
    assert find_transport(object()) is None
    async with on_stage() as stage:
        assert isinstance(find_transport(stage.find()), DiscordChannel)
