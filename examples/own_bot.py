"""A bot of your own: whatever a model streams becomes messages in the channel that asked.

Set DISCORD_TOKEN and run it, or try it on a local Discord without any account: `streamcord twin`.
"""

import asyncio
import os
from collections.abc import AsyncIterator

import discord

from streamcord import say
from streamcord.delivery.discord_py import DiscordChannel

intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)


async def my_model(question: str) -> AsyncIterator[str]:
    """Your model here: any async iterator of text."""
    for token in ("You asked:\n", f"> {question}\n", "Let me thi", "nk about it."):
        await asyncio.sleep(0.1)
        yield token


@client.event
async def on_message(message: discord.Message) -> None:
    if not message.author.bot:
        await say(DiscordChannel(message.channel, reply_to=message), my_model(message.content))


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
