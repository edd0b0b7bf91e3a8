"""Two bots with the same task, as a test suite that `discord-twin drift` runs on two days.

The task: list the channels of a server for a help command, and find the channel of the moderators. What changes on
2026-11-16: https://docs.discord.com/developers/resources/channel#obfuscated-channels . `Unprepared` trusts
names, as most bots written for the current discord.py do; `Prepared` asks what it may view, and has been given an id.
"""

from __future__ import annotations

import discord

from discord_twin import Permission, Twin
from discord_twin.discord_py import running

HIDDEN = "secret-mods"


class Bot(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True), guild_ready_timeout=0)

    def list_channels(self) -> list[str]:
        raise NotImplementedError

    def find_channel(self, name: str, channel_id: int) -> object:
        raise NotImplementedError


class Unprepared(Bot):
    def list_channels(self) -> list[str]:
        return [channel.name for guild in self.guilds for channel in guild.text_channels]

    def find_channel(self, name: str, channel_id: int) -> object:
        return discord.utils.get(self.get_all_channels(), name=name)


class Prepared(Bot):
    def list_channels(self) -> list[str]:
        return [
            channel.name
            for guild in self.guilds
            for channel in guild.text_channels
            if channel.permissions_for(guild.me).view_channel
        ]

    def find_channel(self, name: str, channel_id: int) -> object:
        return self.get_channel(channel_id)


async def hidden_channel(twin: Twin) -> int:
    channel = twin.add_channel(HIDDEN)
    twin.state.overwrite(channel, twin.bot.user, deny=Permission.VIEW_CHANNEL)
    return channel.id


async def help_lists_no_strange_names(bot: Bot) -> None:
    async with Twin() as twin:
        await hidden_channel(twin)
        async with running(twin, bot):
            assert [one for one in bot.list_channels() if one.startswith("__")] == []


async def the_channel_of_the_moderators_is_found(bot: Bot) -> None:
    async with Twin() as twin:
        channel_id = await hidden_channel(twin)
        async with running(twin, bot):
            assert bot.find_channel(HIDDEN, channel_id) is not None


async def test_unprepared_help() -> None:
    await help_lists_no_strange_names(Unprepared())


async def test_unprepared_finds_channel() -> None:
    await the_channel_of_the_moderators_is_found(Unprepared())


async def test_prepared_help() -> None:
    await help_lists_no_strange_names(Prepared())


async def test_prepared_finds_channel() -> None:
    await the_channel_of_the_moderators_is_found(Prepared())
