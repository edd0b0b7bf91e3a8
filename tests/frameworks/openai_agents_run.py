"""The OpenAI Agents SDK: a run with a tool, as its result, its events, and passed on."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from checking import AFTER, BEFORE, check
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

set_tracing_disabled(True)


@function_tool
def look(question: str) -> str:
    """Look something up."""
    return "42"


def message(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")


class FakeModel(Model):
    def __init__(self) -> None:
        call = ResponseFunctionToolCall(
            arguments='{"question": "x"}', call_id="c", name="look", type="function_call"
        )
        self.answers = [[message(BEFORE), call], [message(AFTER)]]

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        return ModelResponse(self.answers.pop(0), Usage(), None)

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        output = self.answers.pop(0)
        text = output[0].content[0].text
        for at in range(0, len(text), 5):
            yield ResponseTextDeltaEvent(
                content_index=0,
                delta=text[at : at + 5],
                item_id="m",
                output_index=0,
                sequence_number=0,
                type="response.output_text.delta",
                logprobs=[],
            )
        whole = Response(
            id="r",
            created_at=0,
            model="m",
            object="response",
            output=output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=False,
        )
        yield ResponseCompletedEvent(response=whole, sequence_number=1, type="response.completed")


def run() -> Any:
    return Runner.run_streamed(Agent("Luna", model=FakeModel(), tools=[look]), "hi")


async def raw_events() -> AsyncIterator[Any]:
    async for event in run().stream_events():
        if event.type == "raw_response_event":
            yield event.data


async def all_events() -> AsyncIterator[Any]:
    async for event in run().stream_events():
        yield event


async def main() -> None:
    await check("the result", run())
    await check("its events", run().stream_events())
    await check("passed on", all_events())
    await check("the bridge that everybody writes", raw_events())
    result = await Runner.run(Agent("Luna", model=FakeModel(), tools=[look]), "hi")
    await check("a whole answer", result, (AFTER,))


asyncio.run(main())
