"""The chunks of a LangChain model, chain or graph, as they are."""

import discord
from langchain_core.language_models import BaseChatModel

from streamcord import TurnResult, say


async def answer(channel: discord.abc.Messageable, question: str, model: BaseChatModel) -> TurnResult:
    return await say(channel, model.astream(question))
