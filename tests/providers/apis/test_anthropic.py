from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from aiohttp import web

from providers.loopback import Response, asked, serving
from streamcord._events import (
    Finish,
    FinishReason,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
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


def paused(reason: str = "pause_turn") -> list[dict[str, Any]]:
    """The events of an answer that the server pauses in its own tools."""
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"type": "thinking", "thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": "Look "}, {"type": "thinking_delta", "thinking": "it up."},
            {"type": "signature_delta", "signature": "sig"},
        ]),
        ({"type": "text", "text": "Let me "}, [
            {"type": "text_delta", "text": "look."}, {"type": "citations_delta", "citation": {"url": "https://a.b"}},
        ]),
        ({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}, [
            {"type": "input_json_delta", "partial_json": '{"query": '},
            {"type": "input_json_delta", "partial_json": '"x"}'},
        ]),
        ({"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"encrypted_content": "e"}]}, []),
        ({"type": "compaction", "content": None}, [{"type": "compaction_delta", "content": "So far."}]),
        ({"type": "text", "text": ""}, []),
    ]  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 10}}}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}})
    return [*events, {"type": "message_stop"}]


COMPLETE: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"usage": {"input_tokens": 30}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": " Found."}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]


def words_of(events: Sequence[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def sent(*answers: list[dict[str, Any]]) -> Response:
    """A server that gives one answer after the other, the last one again and again."""
    left = list(answers)

    async def respond(_: web.Request) -> web.Response:
        events = left.pop(0) if len(left) > 1 else left[0]
        return web.Response(
            text="".join(f"data: {json.dumps(event)}\n\n" for event in events),
            content_type="text/event-stream",
        )

    return respond


@pytest.mark.parametrize("reason", ["pause_turn", "compaction"])
async def test_paused_answer_is_taken_for_a_complete_one(reason: str) -> None:
    async with serving(sent(paused(reason), COMPLETE)) as server:
        events, error = await asked(server.url, "anthropic")

    assert error is None
    assert words_of(events) == "Let me look. Found."
    assert events[-1] == Finish()
    assert [event for event in events if isinstance(event, Usage)][-1] == Usage(40, 12)
    first, second = server.bodies
    assert second["messages"][: len(first["messages"])] == first["messages"]
    (so_far,) = second["messages"][len(first["messages"]) :]
    assert so_far == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "sig"},
            {"type": "text", "text": "Let me look.", "citations": [{"url": "https://a.b"}]},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"encrypted_content": "e"}]},
            {"type": "compaction", "content": "So far."},
        ],
    }


async def test_endless_pauses_are_followed_for_ever() -> None:
    async with serving(sent(paused())) as server:
        events, error = await asked(server.url, "anthropic")

    assert error is None
    assert len(server.bodies) == 11
    assert words_of(events) == "Let me look." * 11
    assert events[-1] == Finish(FinishReason.PAUSED)
    assert [event for event in events if isinstance(event, Usage)][-1] == Usage(110, 55)


@pytest.mark.parametrize(
    "spoilt",
    [
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": "]"},
        },
        *({"type": "content_block_delta", "index": 99, "delta": delta} for delta in ({}, {"type": 7}, None)),
    ],
)
async def test_broken_block_of_a_paused_answer_loses_its_words(spoilt: dict[str, Any]) -> None:
    answer = paused()
    answer.insert(-2, spoilt)
    async with serving(sent(answer, COMPLETE)) as server:
        events, error = await asked(server.url, "anthropic")

    assert error is None
    assert words_of(events).startswith("Let me look.")


async def test_call_of_ours_is_forgotten_in_a_pause() -> None:
    answer = paused()
    block = {"type": "tool_use", "id": "c1", "name": "roll", "input": {}}
    answer.insert(-2, {"type": "content_block_start", "index": 9, "content_block": block})
    async with serving(sent(answer, COMPLETE)) as server:
        events, _ = await asked(server.url, "anthropic")

    assert len(server.bodies) == 1
    assert events[-1] == Finish(FinishReason.TOOL_CALLS)


async def test_model_that_took_over_is_not_named() -> None:
    block = {"type": "fallback", "from": {"model": "claude-fable-5-2"}, "to": {"model": "claude-opus-5-5"}}
    takeover = {"type": "content_block_start", "index": 1, "content_block": block}
    async with serving(sent([*COMPLETE[:2], takeover, *COMPLETE[2:]])) as server:
        events, _ = await asked(server.url, "anthropic")

    assert events[-1] == Finish(served_by="claude-opus-5-5")
