"""OpenAI's stream in a channel: all of a bot that answers every message."""

import os

import discord
from openai import AsyncOpenAI

from streamcord import say

client = discord.Client(intents=discord.Intents(guilds=True, messages=True, message_content=True))
openai = AsyncOpenAI(api_key=os.environ.get("OPENAI_API_KEY", "none"))


@client.event
async def on_message(message: discord.Message) -> None:
    if message.author.bot:
        return
    stream = await openai.chat.completions.create(
        model="gpt-6-luna", messages=[{"role": "user", "content": message.content}], stream=True
    )
    await say(message, stream)


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
