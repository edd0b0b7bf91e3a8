"""Streams of agent frameworks: what needs no package; the programs of `tests/frameworks` use the real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from streamcord import Ending, ProviderError, TextDelta, say
from streamcord.providers import from_acp, from_langchain, from_openai, from_ui_messages
from streamcord.testing import FakeChannel


def made_by(package: str, name: str = "Strange", **fields: Any) -> Any:
    """An object whose class says that it is from this package."""
    return type(name, (SimpleNamespace,), {"__module__": f"{package}.inner"})(**fields)


async def stream(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


UNKNOWN = [
    ("acp", "from_acp"),
    ("ag_ui", "the events of a run"),
    ("agents", r"Runner\.run_streamed"),
    ("claude_agent_sdk", r"query\(prompt=...\)"),
    ("llama_index", "astream_chat"),
    ("mistralai", "stream_async"),
    ("ollama", "stream=True"),
    ("smolagents", r"agent\.run\(task, stream=True\)"),
    ("xai_sdk", r"chat\.stream\(\)"),
]


@pytest.mark.parametrize(("package", "advice"), UNKNOWN)
async def test_unknown_shape_of_a_known_package_is_refused_with_advice(package: str, advice: str) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=rf"of {package}, which say\(\) does not know.*{advice}"):
        await say(channel, stream(made_by(package)))

    assert channel.messages == []


@pytest.mark.parametrize(
    "source",
    [
        from_langchain(stream({"model": {"nothing": 1}})),
        from_langchain(stream(SimpleNamespace(delta="x"))),
        from_openai(stream({"message": {"content": "of another API"}})),
        from_acp(stream({"update": {}})),
        from_ui_messages(stream({"type": "chat.completion.chunk"})),
    ],
)
async def test_stream_of_another_library_is_refused_and_not_empty(source: Any) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=r"know|yielded"):
        await say(channel, source)

    assert channel.messages == []


def response(text: str) -> list[dict[str, Any]]:
    return [
        {"type": "response.output_text.delta", "delta": text},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ]


class Event(SimpleNamespace):
    def model_dump(self, **_: Any) -> dict[str, Any]:
        return vars(self)


async def test_code_after_the_last_event_of_a_response_runs() -> None:
    ran: list[str] = []

    async def passed_on() -> AsyncIterator[Any]:
        for event in response("Hello."):
            yield Event(**event)
        ran.append("after the loop")

    result = await say(FakeChannel(), passed_on())

    assert (result.text, result.ending, ran) == ("Hello.", Ending.COMPLETED, ["after the loop"])


async def test_second_response_of_a_stream_is_said() -> None:
    channel = FakeChannel()
    events = [Event(**event) for event in (*response("Let me look."), *response("It is 42."))]

    result = await say(channel, stream(*events))

    assert channel.texts == ["Let me look.", "It is 42."]
    assert result.ending is Ending.COMPLETED


WHOLE = [
    "It is 42.",
    SimpleNamespace(output_text="It is 42.", model_dump=None),
    SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="It is 42."))]),
    SimpleNamespace(final_output="It is 42.", last_agent=None),
    made_by("pydantic_ai", "AgentRunResult", output="It is 42."),
    SimpleNamespace(text="It is 42.", candidates=[]),
    SimpleNamespace(content=[SimpleNamespace(type="text", text="It is 42.")], stop_reason="end_turn"),
    SimpleNamespace(content="It is 42.", response_metadata={}),
    SimpleNamespace(message=SimpleNamespace(content="It is 42.")),
]


@pytest.mark.parametrize("answer", WHOLE)
async def test_whole_answer_is_sent(answer: Any) -> None:
    channel = FakeChannel()

    result = await say(channel, answer)

    assert (channel.texts, result.ending) == (["It is 42."], Ending.COMPLETED)


def bubble(content: str, type: str = "ai", **fields: Any) -> Any:  # noqa: A002
    return SimpleNamespace(
        content=content,
        type=type,
        id=fields.pop("id", content),
        response_metadata={},
        additional_kwargs={},
        **fields,
    )


async def test_calls_that_a_graph_has_not_run_are_function_calls() -> None:
    call = {"id": "c", "name": "look", "args": {}}
    asked = bubble("Let me look.", tool_calls=[call])

    pending = await say(FakeChannel(), stream({"model": {"messages": [asked]}}))
    ran = [
        {"model": {"messages": [asked]}},
        {"tools": {"messages": [bubble("42", "tool", tool_call_id="c")]}},
    ]
    done = await say(FakeChannel(), stream(*ran))

    assert (pending.ending, done.ending) == (Ending.FUNCTION_CALL, Ending.COMPLETED)
    assert [one.name for one in pending.tool_calls] == ["look"]


async def test_state_of_a_graph_says_nothing_of_the_conversation_before() -> None:
    channel = FakeChannel()
    before = [bubble("hi", "human"), bubble("An earlier answer.")]

    await say(channel, stream({"messages": before}, {"messages": [*before, bubble("A new one.")]}))

    assert channel.texts == ["A new one."]


UI_BODY = b"""data: {"type":"start"}

data: {"type":"text-delta","id":"1","delta":"Gr\xc3\xbc\xc3\x9fe {\xf0\x9f\x99\x82}."}

data: {"type":"finish"}

data: [DONE]
"""


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40, 1000])
async def test_body_of_a_ui_message_stream_may_be_cut_anywhere(size: int) -> None:
    chunks = [UI_BODY[at : at + size] for at in range(0, len(UI_BODY), size)]

    result = await say(FakeChannel(), from_ui_messages(stream(*chunks)))

    assert (result.text, result.ending) == ("Gr\u00fc\u00dfe {\U0001f642}.", Ending.COMPLETED)


@pytest.mark.parametrize("end", ["", "\n"])
async def test_lines_of_a_ui_message_stream_need_no_line_ends(end: str) -> None:
    lines = [f"{line}{end}" for line in UI_BODY.decode().split("\n")]

    result = await say(FakeChannel(), from_ui_messages(stream(*lines)))

    assert result.text == "Gr\u00fc\u00dfe {\U0001f642}."


async def test_page_that_is_no_ui_message_stream_is_an_error() -> None:
    with pytest.raises(ProviderError, match="no part of a UI message stream"):
        await say(FakeChannel(), from_ui_messages(stream("<html>\n", "Not found\n")))


async def test_new_kind_of_object_in_the_middle_of_a_run_does_not_end_the_answer() -> None:
    channel = FakeChannel()
    delta: dict[str, Any] = {
        "session_update": "agent_message_chunk",
        "content": SimpleNamespace(text="It is 42."),
    }

    result = await say(channel, stream(made_by("acp", **delta), made_by("acp", "NewInTheNextVersion")))

    assert (channel.texts, result.ending) == (["It is 42."], Ending.COMPLETED)


async def test_error_of_an_agent_is_raised() -> None:
    with pytest.raises(Exception, match="reported an error: it broke"):
        await say(FakeChannel(), from_ui_messages(stream({"type": "error", "errorText": "it broke"})))


async def test_events_of_ours_between_foreign_ones_are_read() -> None:
    channel = FakeChannel()

    await say(channel, stream(TextDelta("Hello "), *[Event(**event) for event in response("there.")]))

    assert channel.texts == ["Hello there."]
