"""A persona with two more faces, on the local Discord: every line under the right name and picture."""

import asyncio
from collections.abc import AsyncIterator

import discord

from streamcord import Persona, Settings, Sprite, say
from streamcord.discord import DiscordChannel, Webhooks
from streamcord.testing import connect_discord_py
from streamcord.twin import Twin

PICTURES = "https://example.com"
LUNA = Persona(
    "Luna",
    avatar=f"{PICTURES}/luna.png",
    sprites=(Sprite("happy", f"{PICTURES}/happy.png"), Sprite("mad", f"{PICTURES}/mad.png")),
    alter=True,
)


async def model() -> AsyncIterator[str]:
    yield "Luna (happy): You came back!\nLuna (mad): You are late.\n"
    yield "Very late.\nLuna: Come in."


class Bot(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.default())
        self.webhooks = Webhooks(self)

    async def on_message(self, message: discord.Message) -> None:
        if not message.author.bot:
            channel = DiscordChannel(message.channel, reply_to=message, webhooks=self.webhooks)
            await say(channel, model(), settings=Settings(persona=LUNA, typing="off"))


async def main() -> None:
    async with Twin() as twin, Bot() as bot:
        with connect_discord_py(twin):
            running = asyncio.create_task(bot.start(twin.token))
            await twin.ready()
            twin.say(twin.channel, twin.user, "I am back.")
            for _ in range(4):
                message = await twin.next_message()
                picture = str(message.draft.avatar_url).rpartition("/")[2]
                print(f"{message.shown_name:13} {picture:10} {message.content}")
            await bot.close()
            await running


asyncio.run(main())
