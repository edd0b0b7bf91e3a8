"""A persona with two sprites: every line under the right name and picture, by webhook."""

import os
from collections.abc import AsyncIterator

import discord

from streamcord import AnswerContext, Persona, Settings, Sprite, say
from streamcord.discord import DiscordChannel, Webhooks

SPRITES = (Sprite("happy", "https://example.com/happy.png"), Sprite("mad", "https://example.com/mad.png"))
LUNA = Persona("Luna", avatar="https://example.com/luna.png", sprites=SPRITES, alter=True)
client = discord.Client(intents=discord.Intents.default())
webhooks = Webhooks(client)


async def my_model() -> AsyncIterator[str]:
    yield "Luna (happy): You came back!\nLuna (mad): You are late.\nVery late.\nLuna: Come in."


@client.event
async def on_message(message: discord.Message) -> None:
    if not message.author.bot:
        channel = DiscordChannel(message.channel, reply_to=message, webhooks=webhooks)
        await say(channel, my_model(), settings=Settings(typing="off"), context=AnswerContext(persona=LUNA))


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
