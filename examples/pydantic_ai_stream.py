"""The text of a pydantic-ai agent: `stream_text()` repeats itself, and `say` knows that."""

import discord
from pydantic_ai import Agent

from streamcord import TurnResult, say


async def answer(channel: discord.abc.Messageable, question: str, agent: Agent) -> TurnResult:
    async with agent.run_stream(question) as run:
        return await say(channel, run.stream_text())
