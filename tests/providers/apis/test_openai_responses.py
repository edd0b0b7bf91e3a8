from __future__ import annotations

import json

import pytest

from streamcord._events import Finish, FinishReason, TextDelta, ThoughtDelta, ToolCall
from streamcord._exceptions import ProviderError, RequestRejected
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.openai_responses import MAX_PARTS
from streamcord._providers.apis.registry import OpenAIResponses
from streamcord._providers.prompt import (
    Image,
    Options,
    Prompt,
    ToolSpec,
    assistant,
    system,
    tag_signature,
    tool_result,
    user,
)


def test_a_conversation_is_a_list_of_items() -> None:
    call = ToolCall("c1", "roll", {"sides": 6})
    thought = ThoughtDelta(
        "", "summary", tag_signature("responses", '{"id": "rs", "encrypted_content": "e"}')
    )
    prompt = (
        system("Be kind.")
        + user("Hi", Image(b"\x01"))
        + assistant(thought, ThoughtDelta("lost"), "Let me.", call)
        + tool_result(call, "6")
        + Prompt(tools=(ToolSpec("roll"),), prefill="Dear")
    )

    request = OpenAIResponses().encode(
        prompt, Options(model="m", max_tokens=9, reasoning="low", tool_choice="roll", stop=("x",))
    )

    assert request.path == "responses"
    assert request.body == {
        "model": "m",
        "instructions": "Be kind.",
        "stream": True,
        "store": False,
        "max_output_tokens": 2057,
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "tools": [
            {
                "type": "function",
                "name": "roll",
                "description": "",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
        "tool_choice": {"type": "function", "name": "roll"},
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "Hi"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AQ=="},
                ],
            },
            {"type": "reasoning", "summary": [], "id": "rs", "encrypted_content": "e"},
            {"role": "assistant", "content": "Let me."},
            {"type": "function_call", "call_id": "c1", "name": "roll", "arguments": '{"sides": 6}'},
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": "6"}],
            },
            {"role": "assistant", "content": "Dear"},
        ],
    }


def test_an_answer_of_endless_parts_is_an_error_and_not_memory() -> None:
    decoder = OpenAIResponses().decoder()
    number = 0
    while not decoder.ended:
        number += 1
        assert number <= MAX_PARTS + 1
        decoder.feed(
            ServerEvent("response.output_text.delta", f'{{"item_id": "{number}", "delta": "x"}}'),
        )

    with pytest.raises(ProviderError, match="too many parts"):
        decoder.flush()


@pytest.mark.parametrize(
    ("event", "data", "message"),
    [
        ("response.cancelled", "{}", "cancelled"),
        ("response.failed", "{}", "the response failed"),
        ("message", '{"error": {"message": "odd"}}', "odd"),
    ],
)
def test_an_answer_may_end_badly_in_other_ways(event: str, data: str, message: str) -> None:
    decoder = OpenAIResponses().decoder()
    decoder.feed(ServerEvent(event, data))

    assert decoder.ended
    with pytest.raises(ProviderError, match=message):
        decoder.flush()


def test_calls_that_were_never_done_are_complete_when_the_answer_is() -> None:
    decoder = OpenAIResponses().decoder()
    item = '{"output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "n"}}'

    assert decoder.feed(ServerEvent("response.output_item.added", item)) == []
    assert decoder.feed(ServerEvent("response.completed", "{}")) == [ToolCall("c", "n")]


def test_an_error_event_with_only_a_message_keeps_its_words() -> None:
    decoder = OpenAIResponses().decoder()
    decoder.feed(ServerEvent("error", '{"message": "the model fell asleep"}'))

    with pytest.raises(ProviderError, match="the model fell asleep"):
        decoder.flush()


def say(kind: str, text: str, **place: object) -> ServerEvent:
    key = "delta" if kind.endswith(".delta") else "text"
    return ServerEvent(kind, json.dumps({key: text, **place}))


FULL = {"item_id": "rs", "output_index": 0, "summary_index": 0}


@pytest.mark.parametrize("channel", ["response.output_text", "response.reasoning_summary_text"])
@pytest.mark.parametrize(
    ("of_deltas", "of_done"),
    [(FULL, FULL), ({}, FULL), (FULL, {}), ({"item_id": "rs"}, FULL), (FULL, {"item_id": "rs"}), ({}, {})],
)
def test_text_arrives_once_whichever_numbers_a_proxy_leaves_out(
    channel: str, of_deltas: dict[str, object], of_done: dict[str, object]
) -> None:
    decoder = OpenAIResponses().decoder()
    events = [
        say(f"{channel}.delta", "Hel", **of_deltas),
        say(f"{channel}.delta", "lo.", **of_deltas),
        say(f"{channel}.done", "Hello.", **of_done),
    ]

    said = [event for one in events for event in decoder.feed(one)]

    assert "".join(event.text for event in said if isinstance(event, TextDelta | ThoughtDelta)) == "Hello."


def test_two_parts_without_numbers_arrive_once_each_and_one_without_deltas_too() -> None:
    decoder = OpenAIResponses().decoder()
    channel = "response.reasoning_summary_text"
    events = [
        say(f"{channel}.delta", "One"),
        say(f"{channel}.delta", "Two"),
        say(f"{channel}.done", "One", summary_index=0),
        say(f"{channel}.done", "Two", summary_index=1),
        say(f"{channel}.done", "Three", summary_index=2),
    ]

    said = [event for one in events for event in decoder.feed(one)]

    assert [event.text for event in said if isinstance(event, ThoughtDelta)] == ["One", "Two", "Three"]


def test_a_conversation_is_named_for_the_cache() -> None:
    body = OpenAIResponses().encode(user("Hi") + Prompt(cache_key="k"), Options(model="m")).body

    assert body["prompt_cache_key"] == "k"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("max_output_tokens", FinishReason.LENGTH),
        ("content_filter", FinishReason.FILTERED),
        ("steered", FinishReason.PAUSED),
        ("max_messages", FinishReason.PAUSED),
    ],
)
def test_incomplete_answer_is_told_as_too_long(said: str, reason: FinishReason) -> None:
    decoder = OpenAIResponses().decoder()
    details = {"incomplete_details": {"reason": said}}
    decoder.feed(ServerEvent("message", json.dumps({"type": "response.incomplete", "response": details})))

    assert decoder.flush() == [Finish(reason)]


@pytest.mark.parametrize(
    ("name", "shown"), [("delete_all", "delete_all"), ("a\nb", "without a name"), (7, "without")]
)
def test_request_for_approval_is_an_empty_answer(name: object, shown: str) -> None:
    decoder = OpenAIResponses().decoder()
    item = {"type": "mcp_approval_request", "id": "a1", "name": name, "server_label": "s", "arguments": "{}"}
    decoder.feed(ServerEvent("message", json.dumps({"type": "response.output_item.done", "item": item})))
    decoder.feed(ServerEvent("message", '{"type": "response.completed", "response": {}}'))

    with pytest.raises(RequestRejected, match=f"approval of the tool {shown}"):
        decoder.flush()
