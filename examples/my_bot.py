"""A model's stream in your own discord.py bot."""

import os
from collections.abc import AsyncIterator

import discord

from streamcord import say
from streamcord.discord import DiscordChannel

client = discord.Client(intents=discord.Intents(guilds=True, messages=True, message_content=True))


async def my_model(question: str) -> AsyncIterator[str]:
    for piece in ("Let me s", "ee.\nYou as", f"ked: {question}"):
        yield piece


@client.event
async def on_message(message: discord.Message) -> None:
    if not message.author.bot:
        await say(DiscordChannel(message.channel, reply_to=message), my_model(message.content))


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
