"""llama-index: a model and an agent with a tool."""

import asyncio
from typing import Any

from checking import AFTER, BEFORE, check
from llama_index.core.agent.workflow import AgentOutput, AgentStream, ToolCall, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import MockLLM
from llama_index.core.tools import ToolOutput


def delta(text: str) -> AgentStream:
    return AgentStream(delta=text, response=text, current_agent_name="a", tool_calls=[], raw={})


async def agent() -> Any:
    for text in (BEFORE[:6], BEFORE[6:]):
        yield delta(text)
    yield ToolCall(tool_name="look", tool_kwargs={}, tool_id="c")
    output = ToolOutput(content="42", tool_name="look", raw_input={}, raw_output="42")
    yield ToolCallResult(
        tool_name="look", tool_kwargs={}, tool_id="c", tool_output=output, return_direct=False
    )
    for text in (AFTER[:6], AFTER[6:]):
        yield delta(text)
    said = ChatMessage(role="assistant", content=AFTER)
    yield AgentOutput(response=said, current_agent_name="a")


async def main() -> None:
    llm = MockLLM(max_tokens=3)
    stream = await llm.astream_complete("one two three")
    await check("completion", stream, ("text text text",))
    await check("chat", await llm.astream_chat([ChatMessage(content="one two")]), ("text text text",))
    await check("agent", agent())
    await check(
        "a whole answer", ChatResponse(message=ChatMessage(role="assistant", content=AFTER)), (AFTER,)
    )
    print("llama-index: good")


asyncio.run(main())
