"""Tools: typed functions that the model may call; what they post appears at its place in the answer."""

import asyncio
from random import Random
from typing import Annotated

from streamcord import ToolCall, say
from streamcord.providers import Post, ToolResult, tool, user, with_tools
from streamcord.testing import FakeChannel, ScriptedProvider

chance = Random(6)


@tool
async def roll(post: Post, sides: Annotated[int, "how many sides the die has"] = 6) -> str:
    """Roll a die."""
    post("-# the die rolls ...")
    return str(chance.randint(1, sides))


# In place of a real model: it calls the tool, and is then told what it said.
model = ScriptedProvider(["Let me see.", ToolCall("1", "roll", {"sides": 20})], ["A good one!"])


async def main() -> None:
    channel = FakeChannel()
    result = await say(channel, with_tools(model, user("Roll a d20!"), [roll]))
    told = model.prompts[-1].messages[-1]
    assert isinstance(told, ToolResult)
    print(channel.texts, [call.name for call in result.tool_calls], told.parts)


asyncio.run(main())
