from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from streamcord._events import Finish, FinishReason, ThoughtDelta, ToolCall
from streamcord._exceptions import Overloaded, ProviderError
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.registry import Anthropic
from streamcord._providers.prompt import (
    AssistantMessage,
    Effort,
    Image,
    Options,
    Prompt,
    Text,
    ToolSpec,
    UserMessage,
    assistant,
    system,
    tag_signature,
    tool_result,
    user,
)


def body_of(prompt: Prompt, options: Options) -> dict[str, Any]:
    return dict(Anthropic().encode(prompt, options).body)


def test_a_plain_question_is_a_plain_request() -> None:
    request = Anthropic().encode(system("Be kind.") + user("Hi"), Options(model="m", stop=("\n\n", "END")))

    assert request.path == "messages"
    assert request.headers == {"anthropic-version": "2023-06-01"}
    assert request.body == {
        "model": "m",
        "system": "Be kind.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        "stream": True,
        "max_tokens": 8192,
        "stop_sequences": ["END"],
    }


def test_a_round_of_tools_goes_back_in_blocks_with_signed_thoughts() -> None:
    call, other = ToolCall("c1", "roll", {"sides": 6}), ToolCall("c2", "draw")
    prompt = (
        user("Go", "", Image(b"\x01", "image/gif"), Image(url="https://example.org/x.png"))
        + assistant(
            ThoughtDelta("Hm.", signature=tag_signature("anthropic", "s")),
            ThoughtDelta("", signature=tag_signature("anthropic-redacted", "d")),
            ThoughtDelta("interrupted"),
            ThoughtDelta("foreign", signature=tag_signature("google", "x")),
            "",
            "Let me.",
            call,
            other,
        )
        + tool_result(call, "6")
        + tool_result(other, "torn", Image(b"\x02"), failed=True)
        + user("Well?")
        + Prompt(prefill="Dear \n")
    )

    assert body_of(prompt, Options(model="m"))["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Go"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "AQ=="}},
                {"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                {"type": "redacted_thinking", "data": "d"},
                {"type": "text", "text": "Let me."},
                {"type": "tool_use", "id": "c1", "name": "roll", "input": {"sides": 6}},
                {"type": "tool_use", "id": "c2", "name": "draw", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "6"}]},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": [
                        {"type": "text", "text": "torn"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": "Ag=="},
                        },
                    ],
                    "is_error": True,
                },
                {"type": "text", "text": "Well?"},
            ],
        },
        {"role": "assistant", "content": "Dear"},
    ]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("roll", {"type": "tool", "name": "roll"}),
    ],
)
def test_tools_are_offered_and_chosen(choice: str, expected: Any) -> None:
    body = body_of(user("Go") + Prompt(tools=(ToolSpec("roll", "Rolls."),)), Options(tool_choice=choice))

    assert body["tools"] == [
        {"name": "roll", "description": "Rolls.", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert body["tool_choice"] == expected


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("claude-opus-4-8", "none", {"thinking": {"type": "disabled"}, "max_tokens": 100}),
        (
            "claude-sonnet-4-5-20250929",
            "low",
            {"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 2148},
        ),
        (
            "claude-opus-4-8",
            "minimal",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
                "max_tokens": 1124,
            },
        ),
        ("claude-opus-4-8", None, {"max_tokens": 100}),
        # Thoughts count in the limit, also those of models that think unasked.
        ("claude-sonnet-5", None, {"max_tokens": 8292}),
        ("claude-opus-5", "none", {"thinking": {"type": "disabled"}, "max_tokens": 100}),
        (
            "anthropic.claude-opus-5-5",
            "none",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
                "max_tokens": 2148,
            },
        ),
        (
            "claude-fable-5-1",
            "xhigh",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "xhigh"},
                "max_tokens": 24_676,
            },
        ),
        (
            "claude-opus-4-6",
            "xhigh",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "high"},
                "max_tokens": 24_676,
            },
        ),
        (
            "claude-opus-4-1",
            "max",
            {"thinking": {"type": "enabled", "budget_tokens": 31_900}, "max_tokens": 32_000},
        ),
    ],
)
def test_old_models_think_within_a_budget_and_new_ones_adapt(model: str, effort: Any, expected: Any) -> None:
    body = body_of(user("Hi"), Options(model=model, max_tokens=100, reasoning=effort))

    assert {key: body[key] for key in ("thinking", "output_config", "max_tokens") if key in body} == expected


def test_an_error_without_its_type_is_an_error() -> None:
    decoder = Anthropic().decoder()
    decoder.feed(ServerEvent("message", '{"error": {"type": "api_error", "message": "odd"}}'))

    with pytest.raises(Overloaded, match="odd"):
        decoder.flush()


def test_a_tool_is_a_reason_to_end_even_if_the_reason_says_otherwise() -> None:
    decoder = Anthropic().decoder()
    block = '{"index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "n", "input": {"a": 1}}}'

    decoder.feed(ServerEvent("content_block_start", block))
    events = decoder.feed(ServerEvent("message_stop", "{}"))

    assert events == [ToolCall("c", "n", {"a": 1})]
    assert decoder.flush() == [Finish(FinishReason.TOOL_CALLS)]


def test_an_error_event_with_only_a_message_keeps_its_words() -> None:
    decoder = Anthropic().decoder()
    decoder.feed(ServerEvent("error", '{"message": "the model fell asleep"}'))

    with pytest.raises(ProviderError, match="the model fell asleep"):
        decoder.flush()


def test_a_prompt_that_may_be_cached_is_marked_at_its_instructions_and_where_it_stays_the_same() -> None:
    history = UserMessage((Text("old", cache_here=True), Text("new")))
    prompt = system("Be kind.") + Prompt((history,), cache_key="k")
    mark = {"cache_control": {"type": "ephemeral"}}

    body = body_of(prompt, Options(model="m"))
    said = assistant("Hi.")
    answer = body_of(Prompt((AssistantMessage((Text("Hi.", cache_here=True),)),)) + said, Options())

    assert body["system"] == [{"type": "text", "text": "Be kind.", **mark}]
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "old", **mark},
        {"type": "text", "text": "new"},
    ]
    assert answer["messages"][0]["content"][0] == {"type": "text", "text": "Hi.", **mark}


def test_the_matched_stop_sequence_is_in_the_finish() -> None:
    decoder = Anthropic().decoder()
    delta = {"type": "message_delta", "delta": {"stop_reason": "stop_sequence", "stop_sequence": "\nUser:"}}
    decoder.feed(ServerEvent("message_delta", json.dumps(delta)))
    decoder.feed(ServerEvent("message_stop", "{}"))

    assert decoder.flush() == [Finish(stop_sequence="\nUser:")]


@pytest.mark.parametrize("limit", [1, 100, 31_000, 32_000, 63_999, 64_000, 128_000])
@pytest.mark.parametrize("effort", [None, *get_args(Effort)])
@pytest.mark.parametrize(
    "model", ["claude-3-7-sonnet-latest", "claude-opus-4-20250514", "claude-haiku-4-5", "claude-x"]
)
def test_budget_of_thoughts_does_not_fit_the_limit(model: str, effort: Any, limit: int) -> None:
    body = body_of(user("Hi"), Options(model=model, max_tokens=limit, reasoning=effort))

    budget = body.get("thinking", {}).get("budget_tokens")
    assert body["max_tokens"] >= limit
    assert budget is None or 1024 <= budget < body["max_tokens"]
    assert body["max_tokens"] <= max(limit, 64_000)


@pytest.mark.parametrize(
    ("model", "prefill", "sampling"),
    [
        ("claude-haiku-4-5-20251001", True, True),
        ("claude-sonnet-4-6", False, True),
        ("claude-opus-4-7", False, False),
        ("claude-opus-5", False, False),
        ("claude-haiku-5-5", False, False),
        ("claude-of-tomorrow", False, False),
        ("deepseek-flash", True, True),
    ],
)
def test_parameter_that_a_model_refuses_is_sent(model: str, prefill: bool, sampling: bool) -> None:
    prompt = system("Be kind.") + user("Hi") + Prompt(prefill="Dear Ann,")
    body = body_of(prompt, Options(model=model, temperature=0.5, top_p=0.9))

    assert (body["messages"][-1]["role"] == "assistant") is prefill
    assert body["system"].endswith("Dear Ann,") is not prefill
    assert ("temperature" in body, "top_p" in body) == (sampling, sampling)


def test_model_that_always_thinks_is_forced_to_call_a_tool() -> None:
    prompt = user("Go") + Prompt(tools=(ToolSpec("roll", "Rolls."),))

    def choice(asked: str) -> str:
        body = body_of(prompt, Options(model="claude-opus-5-5", tool_choice=asked))
        return str(body["tool_choice"]["type"])

    assert [choice(asked) for asked in ("auto", "required", "roll", "none")] == [
        "auto",
        "auto",
        "auto",
        "none",
    ]
