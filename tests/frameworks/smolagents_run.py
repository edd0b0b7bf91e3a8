"""smolagents: an agent's run, which is a blocking generator."""

import asyncio
from typing import Any

from checking import AFTER, check
from smolagents import ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)


class FakeModel(Model):
    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        function = ChatMessageToolCallFunction(name="final_answer", arguments={"answer": AFTER})
        call = ChatMessageToolCall(id="c", type="function", function=function)
        return ChatMessage(MessageRole.ASSISTANT, "I know it.", tool_calls=[call])


async def main() -> None:
    agent = ToolCallingAgent(tools=[], model=FakeModel(), verbosity_level=0)
    await check("a run", agent.run("What is it?", stream=True), (AFTER,))


asyncio.run(main())
