"""The stream of litellm, as it is: one call for a hundred providers."""

import discord
import litellm

from streamcord import TurnResult, say


async def answer(channel: discord.abc.Messageable, question: str, **options: object) -> TurnResult:
    messages = [{"role": "user", "content": question}]
    stream = await litellm.acompletion(model="gpt-6-luna", messages=messages, stream=True, **options)
    return await say(channel, stream)
