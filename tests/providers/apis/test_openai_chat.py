from __future__ import annotations

import json
from typing import Any

import pytest

from streamcord._events import Finish, TextDelta, ThoughtDelta, ToolCall
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.registry import OpenAIChat, Quirks
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

SCHEMA = {"type": "object", "properties": {"sides": {"type": "integer"}}}
CALL = ToolCall("c1", "roll", {"sides": 6})
OTHER = ToolCall("c2", "draw")


def body_of(prompt: Prompt, options: Options | None = None, **quirks: Any) -> dict[str, Any]:
    request = OpenAIChat(Quirks(**quirks)).encode(prompt, options or Options(model="m"))
    return dict(request.body)


def test_a_plain_question_is_a_plain_request() -> None:
    request = OpenAIChat().encode(system("Be kind.") + user("Hi"), Options(model="m"))

    assert request.path == "chat/completions"
    assert request.headers == {}
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_every_option_has_its_place() -> None:
    options = Options(
        model="m",
        temperature=0.5,
        top_p=0.9,
        max_tokens=99,
        stop=("\nUser:", "END"),
        reasoning="low",
        extra={"seed": 7, "stream_options": None},
    )

    body = body_of(user("Hi"), options, length_key="max_completion_tokens", stop_cap=1)

    del body["messages"]
    assert body == {
        "model": "m",
        "stream": True,
        "temperature": 0.5,
        "top_p": 0.9,
        "max_completion_tokens": 2147,
        "stop": ["\nUser:"],
        "reasoning_effort": "low",
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("style", "effort", "expected"),
    [
        ("effort", "none", {"reasoning_effort": "none"}),
        ("object", "high", {"reasoning": {"effort": "high"}}),
        ("switch", "none", {"thinking": {"type": "disabled"}}),
        ("switch", "low", {"thinking": {"type": "enabled"}}),
        ("switch_effort", "high", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("switch_effort", "none", {"thinking": {"type": "disabled"}}),
        ("template", "none", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("unknown", "high", {}),
    ],
)
def test_each_server_is_told_in_its_way_how_much_to_think(style: Any, effort: Any, expected: Any) -> None:
    plain = body_of(user("Hi"), reasoning=style)
    body = body_of(user("Hi"), Options(model="m", reasoning=effort), reasoning=style)

    assert {key: value for key, value in body.items() if key not in plain} == expected


def test_pictures_are_parts_and_words_alone_are_a_text() -> None:
    body = body_of(
        user("What is ", "this?", Image(b"\x01", "image/gif"), Image(url="https://example.org/x.png"))
    )

    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is "},
                {"type": "text", "text": "this?"},
                {"type": "image_url", "image_url": {"url": "data:image/gif;base64,AQ=="}},
                {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
            ],
        }
    ]


def test_a_round_of_tools_goes_back_with_its_pictures_after_all_results() -> None:
    prompt = (
        user("Go")
        + assistant("Let me. ", CALL, OTHER)
        + tool_result(CALL, "6")
        + tool_result(OTHER, "a card", Image(b"\x01"))
        + Prompt(tools=(ToolSpec("roll", "Rolls.", SCHEMA),))
    )

    body = body_of(prompt)

    assert body["tools"] == [
        {"type": "function", "function": {"name": "roll", "description": "Rolls.", "parameters": SCHEMA}}
    ]
    assert body["tool_choice"] == "auto"
    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": "Let me. ",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "roll", "arguments": '{"sides": 6}'}},
                {"id": "c2", "type": "function", "function": {"name": "draw", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "6"},
        {"role": "tool", "tool_call_id": "c2", "content": "a card"},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AQ=="}}],
        },
    ]


def test_a_tool_can_be_demanded_by_name() -> None:
    prompt = user("Go") + Prompt(tools=(ToolSpec("roll"),))

    assert body_of(prompt, Options(tool_choice="required"))["tool_choice"] == "required"
    assert body_of(prompt, Options(tool_choice="roll"))["tool_choice"] == {
        "type": "function",
        "function": {"name": "roll"},
    }


def test_thoughts_go_back_only_to_those_who_want_them_and_only_before_tools() -> None:
    thought = ThoughtDelta(
        "Hm.", signature=tag_signature("openrouter", '{"type": "reasoning.text", "signature": "s"}')
    )
    hidden = ThoughtDelta(
        "", signature=tag_signature("openrouter", '{"type": "reasoning.encrypted", "data": "d"}')
    )
    foreign = ThoughtDelta("Other", signature=tag_signature("anthropic", "x"))
    called = assistant(thought, hidden, foreign, CALL)

    def message(replay: str) -> dict[str, Any]:
        kept: dict[str, Any] = body_of(called, replay=replay)["messages"][0]
        return {key: kept[key] for key in kept if key.startswith("reasoning")}

    assert message("") == {}
    assert message("reasoning_content") == {"reasoning_content": "Hm.Other"}
    assert message("reasoning_details") == {
        "reasoning_details": [
            {"type": "reasoning.text", "signature": "s", "text": "Hm."},
            {"type": "reasoning.encrypted", "data": "d"},
        ]
    }
    assert body_of(assistant(thought, "Hi"), replay="reasoning_content")["messages"] == [
        {"role": "assistant", "content": "Hi"}
    ]


def test_a_signature_of_googles_imitation_goes_back_with_its_call() -> None:
    signed = ToolCall(
        "c1", "roll", {}, tag_signature("google-openai", '{"google": {"thought_signature": "s"}}')
    )

    call = body_of(assistant(signed))["messages"][0]["tool_calls"][0]

    assert call["extra_content"] == {"google": {"thought_signature": "s"}}


@pytest.mark.parametrize(
    ("style", "last", "extra", "path"),
    [
        ("message", {"role": "assistant", "content": "Dear"}, {}, "chat/completions"),
        ("prefix", {"role": "assistant", "content": "Dear", "prefix": True}, {}, "chat/completions"),
        (
            "beta_prefix",
            {"role": "assistant", "content": "Dear", "prefix": True},
            {},
            "beta/chat/completions",
        ),
        (
            "continue",
            {"role": "assistant", "content": "Dear"},
            {"add_generation_prompt": False, "continue_final_message": True},
            "chat/completions",
        ),
    ],
)
def test_a_prefill_is_the_beginning_of_the_answer(style: Any, last: Any, extra: Any, path: str) -> None:
    request = OpenAIChat(Quirks(prefill=style)).encode(user("Hi") + Prompt(prefill="Dear"), Options())

    assert request.path == path
    assert request.body["messages"][-1] == last
    assert {key: request.body[key] for key in extra} == extra


def test_content_in_parts_is_read_as_text() -> None:
    decoder = OpenAIChat().decoder()

    events = decoder.feed(
        ServerEvent(
            "message", '{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}'
        )
    )

    assert events == [TextDelta("ab")]


@pytest.mark.parametrize("reason", ["error", "network_error", "insufficient_system_resource", "abort"])
def test_a_reason_that_is_no_end_is_an_error_that_may_be_tried_again(reason: str) -> None:
    decoder = OpenAIChat().decoder()
    decoder.feed(ServerEvent("message", f'{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}'))

    with pytest.raises(ProviderError) as caught:
        decoder.flush()
    assert caught.value.retryable


def test_done_alone_is_an_end_and_brings_the_calls() -> None:
    decoder = OpenAIChat().decoder()
    piece = '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"n"}}]}}]}'

    assert decoder.feed(ServerEvent("message", piece)) == []
    assert decoder.feed(ServerEvent("message", "[DONE]")) == [ToolCall("c", "n")]
    assert decoder.flush() == [Finish("tool_calls")]  # type: ignore[arg-type]


def test_a_reason_that_is_the_word_null_is_none() -> None:
    decoder = OpenAIChat().decoder()

    decoder.feed(ServerEvent("message", '{"choices":[{"delta":{"content":"a"},"finish_reason":"null"}]}'))

    assert not decoder.finishing


def test_a_message_of_calls_alone_has_no_words_and_not_empty_ones() -> None:
    assert body_of(assistant(CALL))["messages"][0]["content"] is None


def test_the_thoughts_in_mistrals_parts_are_thoughts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]},
        {"type": "thinking", "thinking": "so"},
        {"type": "text", "text": "Hi."},
        {"type": "reference", "reference_ids": [1]},
    ]
    chunk = {"choices": [{"index": 0, "delta": {"content": parts}}]}

    events = OpenAIChat().decoder().feed(ServerEvent("message", json.dumps(chunk)))

    assert events == [ThoughtDelta("hmso"), TextDelta("Hi.")]


def test_an_error_event_with_only_a_message_keeps_its_words() -> None:
    decoder = OpenAIChat().decoder()
    decoder.feed(ServerEvent("error", '{"message": "the model fell asleep"}'))

    with pytest.raises(ProviderError, match="the model fell asleep"):
        decoder.flush()


def test_a_chunk_with_a_message_is_no_error() -> None:
    decoder = OpenAIChat().decoder()
    decoder.feed(ServerEvent("message", '{"message": "queued"}'))

    assert not decoder.ended


def test_only_a_server_that_knows_it_is_told_the_name_of_the_cache() -> None:
    prompt = user("Hi") + Prompt(cache_key="k")
    named = OpenAIChat(Quirks(cache_key=True)).encode(prompt, Options(model="m")).body
    plain = OpenAIChat().encode(prompt, Options(model="m")).body

    assert named["prompt_cache_key"] == "k"
    assert "prompt_cache_key" not in plain
