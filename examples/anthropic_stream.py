"""The stream of the anthropic SDK, as it is; `say` tells how it ended."""

import discord
from anthropic import AsyncAnthropic

from streamcord import TurnResult, say


async def answer(channel: discord.abc.Messageable, question: str, claude: AsyncAnthropic) -> TurnResult:
    async with claude.messages.stream(
        model="claude-haiku-4-5", max_tokens=1024, messages=[{"role": "user", "content": question}]
    ) as stream:
        return await say(channel, stream)
