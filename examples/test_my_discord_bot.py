"""A test of a whole discord.py bot: real client, real HTTP, local Discord."""

import discord

from discord_twin import Twin
from discord_twin.discord_py import RunBot
from streamcord import Source, say
from streamcord.discord import DiscordChannel
from streamcord.testing import ScriptedProvider


class Bot(discord.Client):
    def __init__(self, model: Source) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents, guild_ready_timeout=0)
        self.model = model

    async def on_message(self, message: discord.Message) -> None:
        if not message.author.bot:
            await say(DiscordChannel(message.channel, reply_to=message), self.model)


async def test_it_answers_and_pings_nobody(twin: Twin, run_on_twin: RunBot) -> None:
    await run_on_twin(Bot(ScriptedProvider(["Hi @everyone!"])))
    twin.say(twin.channel, twin.user, "hello")

    answer = await twin.next_message()

    assert answer.content == "Hi @everyone!"
    assert twin.log.pinged == set()
