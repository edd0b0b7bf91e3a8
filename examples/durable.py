"""An answer that goes on after `kill -9`: start it, kill it, start it again."""

import asyncio
import os
from collections.abc import AsyncIterator

import discord

from streamcord import say
from streamcord.store import open_journal

client = discord.Client(intents=discord.Intents(guilds=True, guild_messages=True))
POEM = "".join(f"Line {number} of a poem that takes its time.\n" for number in range(1, 8))


async def my_model(heard: str) -> AsyncIterator[str]:
    """Any model; `heard` is what it had said when the process died."""
    for at in range(len(heard), len(POEM), 20):
        await asyncio.sleep(0.05)
        yield POEM[at : at + 20]


@client.event
async def on_ready() -> None:
    async with await open_journal("durable.db") as journal:
        new = journal.begin(channel=int(os.environ["CHANNEL"]))
        for turn in await journal.unfinished() or [new]:
            channel = await client.fetch_channel(turn.about["channel"])
            assert isinstance(channel, discord.TextChannel)
            await say(channel, my_model(turn.text), journal=turn)
    await client.close()


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
