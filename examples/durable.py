"""An answer that continues after `kill -9`: start it, kill it, start it again."""

import asyncio
import os
from collections.abc import AsyncIterator

import discord

from streamcord import say
from streamcord.store import open_journal

bot = discord.Client(intents=discord.Intents.default())
POEM = "".join(f"Line {number} of a poem that takes its time.\n" for number in range(1, 8))


async def my_model(received: str) -> AsyncIterator[str]:  # `received`: what it had said when the process died
    for at in range(len(received), len(POEM), 20):
        await asyncio.sleep(0.05)
        yield POEM[at : at + 20]


@bot.event
async def on_ready() -> None:
    async with await open_journal("durable.db") as journal:
        for turn in await journal.unfinished() or [journal.begin(channel=int(os.environ["CHANNEL"]))]:
            await say(bot.get_partial_messageable(turn.about["channel"]), my_model(turn.text), journal=turn)
    await bot.close()


bot.run(os.environ["DISCORD_TOKEN"])
