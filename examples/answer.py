"""All that a bot of one's own needs: a message to answer, and any async iterator of text."""

import discord

from streamcord import Source, say


async def answer(message: discord.Message, model: Source) -> None:
    await say(message, model)
