"""LangGraph: an agent with a tool, in every stream mode."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from checking import AFTER, BEFORE, check
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolCall
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool

INPUT = {"messages": [("user", "hi"), ("assistant", "An earlier answer."), ("user", "and now?")]}
MODES: tuple[dict[str, Any], ...] = (
    {},
    {"stream_mode": "values"},
    {"stream_mode": "updates"},
    {"stream_mode": "messages"},
    {"stream_mode": ["messages", "updates"]},
    {"stream_mode": ["updates", "values", "messages"]},
    {"stream_mode": "messages", "subgraphs": True},
    {"stream_mode": ["messages", "updates"], "subgraphs": True},
    {"stream_mode": "messages", "version": "v2"},
    {"stream_mode": ["messages", "updates"], "version": "v2"},
)


@tool
def look(question: str) -> str:
    """Look something up."""
    return "42"


class Model(GenericFakeChatModel):
    """Says its answers in pieces, tool calls included."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _stream(self, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        answer = next(self.messages)
        for at in range(0, len(answer.content), 5):
            yield ChatGenerationChunk(message=AIMessageChunk(answer.content[at : at + 5]))
        for call in answer.tool_calls:
            piece = tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=0)
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[piece]))


def make_agent() -> Any:
    call = ToolCall(name="look", args={"question": "x"}, id="c1", type="tool_call")
    answers = [AIMessage(BEFORE, tool_calls=[call]), AIMessage(AFTER)]
    return create_agent(Model(messages=iter(answers)), [look])


async def passed_on(stream: Any) -> AsyncIterator[Any]:
    async for item in stream:
        yield item


async def main() -> None:
    for mode in MODES:
        name = " ".join(map(str, mode.values())) or "default"
        await check(name, make_agent().astream(INPUT, **mode))
        await check(f"passed on: {name}", passed_on(make_agent().astream(INPUT, **mode)))
    await check("events", make_agent().astream_events(INPUT, version="v2"))
    run = await make_agent().astream_events(INPUT, version="v3")
    await check("v3", run)


asyncio.run(main())
