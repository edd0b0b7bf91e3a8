"""AG-UI: the events of a run as objects and as JSON, and those of an agent of pydantic-ai."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ag_ui import core
from checking import AFTER, BEFORE, check
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter

EVENTS = [
    core.RunStartedEvent(thread_id="t", run_id="r"),
    core.TextMessageStartEvent(message_id="1", role="assistant"),
    *(core.TextMessageContentEvent(message_id="1", delta=piece) for piece in (BEFORE[:5], BEFORE[5:])),
    core.TextMessageEndEvent(message_id="1"),
    core.ToolCallStartEvent(tool_call_id="c", tool_call_name="look"),
    core.ToolCallEndEvent(tool_call_id="c"),
    core.ToolCallResultEvent(message_id="2", tool_call_id="c", content="42", role="tool"),
    core.ReasoningMessageContentEvent(message_id="3", delta="Hm."),
    core.TextMessageStartEvent(message_id="4", role="assistant"),
    *(core.TextMessageContentEvent(message_id="4", delta=piece) for piece in (AFTER[:5], AFTER[5:])),
    core.TextMessageEndEvent(message_id="4"),
    core.RunFinishedEvent(thread_id="t", run_id="r"),
]


async def stream(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


async def model(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Any]:
    is_second = any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)
    text = AFTER if is_second else BEFORE
    for at in range(0, len(text), 5):
        yield text[at : at + 5]
    if not is_second:
        yield {1: DeltaToolCall(name="look", json_args='{"question": "x"}', tool_call_id="c")}


def run_of_an_agent() -> AsyncIterator[Any]:
    agent: Agent[None, str] = Agent(FunctionModel(stream_function=model))

    @agent.tool_plain
    def look(question: str) -> str:
        return "42"

    question = core.UserMessage(id="q", content="hi")
    run = core.RunAgentInput(
        thread_id="t", run_id="r", state={}, messages=[question], tools=[], context=[], forwarded_props={}
    )
    return AGUIAdapter(agent, run).run_stream()


async def main() -> None:
    said = [one async for one in run_of_an_agent()]
    assert "".join(one.delta for one in said if one.type == "TEXT_MESSAGE_CONTENT") == BEFORE + AFTER
    await check("ag-ui, an agent of pydantic-ai", run_of_an_agent())
    result = await check("ag-ui, objects", stream(EVENTS))
    assert result.thoughts.raw == "Hm."
    await check("ag-ui, JSON", stream([event.model_dump(mode="json") for event in EVENTS]))


asyncio.run(main())
