"""Objects of other libraries in the shapes that were seen of them; none of the libraries need be there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from streamcord import (
    Finish,
    FinishReason,
    KeepAlive,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
    say,
)
from streamcord._providers.sdk_streams.chunks import describe
from streamcord._providers.sdk_streams.langchain import LangChainReader
from streamcord._providers.sdk_streams.langgraph import LangGraphReader
from streamcord._providers.sdk_streams.pydantic_ai import PydanticAIReader
from streamcord._providers.sdk_streams.registry import find_reader
from streamcord.providers import from_langchain, from_pydantic_ai
from streamcord.testing import FakeChannel


@dataclass
class AIMessageChunk:
    """What LangChain's models stream (langchain-core 1.7)."""

    content: str | list[Any] = ""
    type: str = "AIMessageChunk"
    tool_call_chunks: list[dict[str, Any]] = field(default_factory=list)
    usage_metadata: dict[str, Any] | None = None
    response_metadata: dict[str, Any] = field(default_factory=dict)
    additional_kwargs: dict[str, Any] = field(default_factory=dict)


async def stream(*chunks: Any) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


def read(reader: Any, *chunks: Any) -> list[ProviderEvent]:
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return [event for event in [*events, *reader.flush()] if not isinstance(event, KeepAlive)]


def test_langchain_words_thoughts_and_the_reason_of_the_end() -> None:
    chunks = [
        AIMessageChunk("Hel"),
        AIMessageChunk([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "lo"}]),
        AIMessageChunk([{"type": "reasoning", "summary": [{"text": "so"}]}, "."]),
        AIMessageChunk([{"type": "reasoning", "reasoning": "well"}, {"type": "image"}]),
        AIMessageChunk("", additional_kwargs={"reasoning_content": "deep"}),
        AIMessageChunk("", response_metadata={"finish_reason": "length"}),
    ]

    assert read(LangChainReader(), *chunks) == [
        TextDelta("Hel"),
        ThoughtDelta("hm"),
        TextDelta("lo"),
        ThoughtDelta("so"),
        TextDelta("."),
        ThoughtDelta("well"),
        ThoughtDelta("deep"),
        Finish(FinishReason.LENGTH),
    ]


def test_langchain_tool_calls_come_in_pieces() -> None:
    chunks = [
        AIMessageChunk(tool_call_chunks=[{"index": 0, "id": "a", "name": "roll", "args": '{"sid'}]),
        AIMessageChunk(tool_call_chunks=[{"index": 0, "id": None, "name": None, "args": 'es": 6}'}]),
        AIMessageChunk(response_metadata={"finish_reason": "tool_calls"}),
    ]

    assert read(LangChainReader(), *chunks) == [
        ToolCall("a", "roll", {"sides": 6}),
        Finish(FinishReason.TOOL_CALLS),
    ]


def test_langchain_usage_adds_up() -> None:
    first = {"input_tokens": 7, "output_tokens": 1, "input_token_details": {"cache_read": 5}}
    second = {"input_tokens": 0, "output_tokens": 4, "output_token_details": {"reasoning": 3}}

    events = read(
        LangChainReader(), AIMessageChunk(usage_metadata=first), AIMessageChunk(usage_metadata=second)
    )

    assert events == [Usage(7, 1, 0, 5), Usage(7, 5, 3, 5), Finish()]


def test_a_graph_streams_pairs_and_other_peoples_messages_are_not_ours() -> None:
    pairs = [
        (AIMessageChunk("Hi."), {"langgraph_node": "model"}),
        (AIMessageChunk("a tool said this", type="tool"), {}),
    ]

    assert isinstance(find_reader(pairs[0]), LangGraphReader)
    assert read(LangChainReader(), *pairs) == [TextDelta("Hi."), Finish()]


def part(kind: str, text: str) -> Any:
    return SimpleNamespace(
        event_kind="part_start", index=0, part=SimpleNamespace(part_kind=kind, content=text)
    )


def delta(kind: str, text: str) -> Any:
    inner = SimpleNamespace(part_delta_kind=kind, content_delta=text)
    return SimpleNamespace(event_kind="part_delta", index=0, delta=inner)


CALL = SimpleNamespace(tool_call_id="a", tool_name="roll", args_as_dict=lambda: {"sides": 6})
RUN = [
    part("thinking", "h"),
    delta("thinking", "m"),
    SimpleNamespace(event_kind="final_result", tool_name=None),
    part("text", "Hel"),
    delta("text", "lo."),
    part("tool-call", ""),
    delta("tool_call", ""),
    SimpleNamespace(event_kind="function_tool_call", part=CALL),
    SimpleNamespace(event_kind="function_tool_result"),
    part("text", "Six."),
]
SAID: list[ProviderEvent] = [
    ThoughtDelta("h"),
    ThoughtDelta("m"),
    TextDelta("Hel"),
    TextDelta("lo."),
    ToolCall("a", "roll", {"sides": 6}),
    TextDelta("Six."),
]


@pytest.mark.parametrize("call", [False, True])
def test_pydantic_ai_events_of_a_run(call: bool) -> None:
    counted = SimpleNamespace(input_tokens=7, output_tokens=None)
    usage: Any = (lambda: counted) if call else counted
    end = SimpleNamespace(event_kind="agent_run_result", result=SimpleNamespace(usage=usage))

    assert read(PydanticAIReader(), *RUN, end) == [*SAID, Usage(7, 0), Finish()]
    assert isinstance(find_reader(RUN[0]), PydanticAIReader)


@pytest.mark.parametrize(
    ("said", "reason"), [("length", FinishReason.LENGTH), ("content_filter", FinishReason.FILTERED)]
)
def test_run_of_pydantic_ai_that_was_cut_says_so(said: str, reason: FinishReason) -> None:
    usage = SimpleNamespace(input_tokens=7, output_tokens=1)
    result = SimpleNamespace(usage=usage, response=SimpleNamespace(finish_reason=said))
    end = SimpleNamespace(event_kind="agent_run_result", result=result)

    assert read(PydanticAIReader(), *RUN, end)[-1] == Finish(reason)


async def test_both_are_recognised_by_say_and_may_be_wrapped_too() -> None:
    for make in (lambda: stream(*RUN), lambda: from_pydantic_ai(stream(*RUN))):
        channel = FakeChannel()
        result = await say(channel, make())
        assert channel.texts == ["Hello.", "Six."]
        assert result.thoughts.raw == "hm"
    for make in (
        lambda: stream(AIMessageChunk("Hi.")),
        lambda: from_langchain(stream(AIMessageChunk("Hi."))),
    ):
        channel = FakeChannel()
        await say(channel, make())
        assert channel.texts == ["Hi."]


def test_what_nobody_knows_has_no_reader_and_is_named() -> None:
    class Odd:
        def model_dump(self) -> dict[str, Any]:
            raise AssertionError("nobody asks")

    assert find_reader(Odd()) is None
    assert find_reader(5) is None
    assert find_reader({"choices": []}) is None
    assert "Odd, which is neither text nor an event" in describe(Odd())
