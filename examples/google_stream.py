"""The stream of the google-genai SDK, as it is."""

import discord
from google import genai

from streamcord import TurnResult, say


async def answer(channel: discord.abc.Messageable, question: str, client: genai.Client) -> TurnResult:
    stream = await client.aio.models.generate_content_stream(model="gemini-flash-latest", contents=question)
    return await say(channel, stream)
