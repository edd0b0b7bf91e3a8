"""All that a bot of one's own needs: a message to answer, and any async iterator of text."""

import discord

from streamcord import Source, say
from streamcord.discord import DiscordChannel


async def answer(message: discord.Message, model: Source) -> None:
    await say(DiscordChannel(message.channel, reply_to=message), model)
