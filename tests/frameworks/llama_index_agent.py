"""llama-index: a model, and an agent that calls a tool."""

import asyncio
from collections.abc import Sequence
from typing import Any

from checking import AFTER, BEFORE, check
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.llms.mock import MockFunctionCallingLLM


def look(question: str) -> str:
    """Look something up."""
    return "42"


class Model(MockFunctionCallingLLM):
    """Says its answers in pieces, the first one with a call."""

    def _prepare_chat_with_tools(self, tools: Sequence[Any], **_: Any) -> dict[str, Any]:
        return {"messages": _.get("chat_history") or [], "tools": list(tools)}

    async def astream_chat(self, messages: Any, **_: Any) -> Any:
        is_second = any(message.role == "tool" for message in messages)
        text = AFTER if is_second else BEFORE

        async def said() -> Any:
            for at in range(0, len(text), 5):
                message = ChatMessage(role="assistant", content=text[: at + 5])
                yield ChatResponse(message=message, delta=text[at : at + 5])
            if not is_second:
                call = ToolCallBlock(tool_call_id="c", tool_name="look", tool_kwargs={"question": "x"})
                message = ChatMessage(role="assistant", blocks=[TextBlock(text=text), call])
                yield ChatResponse(message=message, delta="")

        return said()

    def get_tool_calls_from_response(self, response: Any, **_: Any) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id="c", tool_name="look", tool_kwargs={"question": "x"})
            for block in response.message.blocks
            if isinstance(block, ToolCallBlock)
        ]


assert issubclass(Model, FunctionCallingLLM)


async def main() -> None:
    llm = MockLLM(max_tokens=3)
    stream = await llm.astream_complete("one two three")
    await check("llama-index completion", stream, ("text text text",))
    chat = await llm.astream_chat([ChatMessage(content="one two")])
    await check("llama-index chat", chat, ("text text text",))
    answer = await FunctionAgent(tools=[look], llm=Model()).run("hi")
    assert str(answer) == AFTER, str(answer)
    handler = FunctionAgent(tools=[look], llm=Model()).run("hi")
    await check("llama-index agent", handler.stream_events())
    whole = ChatResponse(message=ChatMessage(role="assistant", content=AFTER))
    await check("llama-index whole answer", whole, (AFTER,))


asyncio.run(main())
