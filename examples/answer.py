"""A message to answer, and any async iterator of text."""

from discord import Message

from streamcord import Source, say


async def answer(message: Message, model: Source) -> None:
    await say(message, model)
