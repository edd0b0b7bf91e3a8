"""Google's Interactions API, by its documents and the types of google-genai 3.3."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web

from providers.loopback import serving
from streamcord._events import Finish, FinishReason, ProviderEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from streamcord._exceptions import ProviderError, Truncated
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.google_interactions import GoogleInteractions
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
from streamcord.providers import HttpProvider, Preset

EVENTS: list[dict[str, Any]] = [
    {"event_type": "interaction.created", "interaction": {"id": "i1", "status": "in_progress"}},
    {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"text": "Hm."}}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "sig"}},
    {"event_type": "step.stop", "index": 0},
    {"event_type": "step.start", "index": 1, "step": {"type": "model_output", "content": [{"text": "Hel"}]}},
    {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "lo"}},
    {"event_type": "step.start", "index": 2, "step": {"type": "google_search_call", "id": "g"}},
    {"event_type": "step.stop", "index": 2},
]  # fmt: skip


def completed(status: str = "completed", **more: Any) -> dict[str, Any]:
    usage = {
        "total_input_tokens": 9,
        "total_output_tokens": 4,
        "total_thought_tokens": 2,
        "total_cached_tokens": 1,
    }
    return {"event_type": "interaction.completed", "interaction": {"status": status, "usage": usage, **more}}


def decoded(*events: dict[str, Any]) -> list[ProviderEvent]:
    decoder = GoogleInteractions().decoder()
    found = [one for event in events for one in decoder.feed(ServerEvent("message", json.dumps(event)))]
    return [*found, *decoder.flush()]


def test_words_thoughts_and_usage_are_read() -> None:
    events = decoded(*EVENTS, completed(model="gemini-3.8-flash"))

    assert "".join(one.text for one in events if isinstance(one, TextDelta)) == "Hello"
    assert [one for one in events if isinstance(one, ThoughtDelta)] == [
        ThoughtDelta("Hm.", "summary"),
        ThoughtDelta("", "summary", tag_signature("google-interactions", "sig")),
    ]
    assert events[-2:] == [Usage(9, 4, 2, 1), Finish(served_by="gemini-3.8-flash")]


def test_calls_are_assembled() -> None:
    events = decoded(
        {
            "event_type": "step.start",
            "index": 0,
            "step": {"type": "function_call", "id": "c1", "name": "roll"},
        },
        {"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": '{"si'}},
        {
            "event_type": "step.delta",
            "index": 0,
            "delta": {"type": "arguments_delta", "arguments": 'des": 6}'},
        },
        {"event_type": "step.stop", "index": 0},
        completed("requires_action"),
    )

    assert [one for one in events if isinstance(one, ToolCall)] == [ToolCall("c1", "roll", {"sides": 6})]
    assert events[-1] == Finish(FinishReason.TOOL_CALLS)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("incomplete", FinishReason.LENGTH),
        ("requires_continuation", FinishReason.PAUSED),
        ("new", FinishReason.STOP),
    ],
)
def test_status_is_the_ending(status: str, reason: FinishReason) -> None:
    assert decoded(*EVENTS, completed(status))[-1] == Finish(reason)


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (None, Truncated),
        (completed("cancelled"), Truncated),
        (completed("failed"), ProviderError),
        ({"event_type": "error", "error": {"code": "internal", "message": "odd"}}, ProviderError),
        ({"event_type": "error"}, ProviderError),
    ],
)
def test_failure_is_a_complete_answer(last: dict[str, Any] | None, error: type[Exception]) -> None:
    with pytest.raises(error):
        decoded(*EVENTS, *([last] if last else ()))


@pytest.mark.parametrize(
    "odd", [{}, {"step": 7}, {"delta": [1]}, {"index": {}, "step": {"type": "function_call"}}]
)
@pytest.mark.parametrize("kind", ["step.start", "step.delta", "step.stop"])
def test_odd_step_breaks_the_answer(kind: str, odd: dict[str, Any]) -> None:
    decoder = GoogleInteractions().decoder()
    for event in ({"event_type": kind, **odd}, *EVENTS, completed()):
        decoder.feed(ServerEvent("message", json.dumps(event)))

    assert isinstance(decoder.flush()[-1], Finish)


def test_request_holds_everything() -> None:
    call = ToolCall("c1", "roll", {"sides": 6})
    signed = ThoughtDelta("Hm.", signature=tag_signature("google-interactions", "sig"))
    prompt = (
        system("Be kind.")
        + user("Go", Image(b"\x01", "image/gif"), Image(url="https://example.org/x.png"))
        + assistant(signed, ThoughtDelta("foreign", signature=tag_signature("google", "x")), "Let me.", call)
        + tool_result(call, "6", failed=True)
        + Prompt(prefill="Dear", tools=(ToolSpec("roll", "Rolls."),))
    )
    options = Options(
        model="models/gemini-3.8-flash", temperature=0.5, max_tokens=9, reasoning="max", tool_choice="roll"
    )
    request = GoogleInteractions().encode(prompt, options)

    assert request.path == "interactions"
    assert request.body["model"] == "gemini-3.8-flash"
    assert (request.body["stream"], request.body["store"]) == (True, False)
    assert request.body["system_instruction"].startswith("Be kind.")
    assert request.body["system_instruction"].endswith("Dear")
    assert [step["type"] for step in request.body["input"]] == [
        *("user_input", "thought", "model_output", "function_call", "function_result"),
    ]
    assert request.body["input"][-1] == {
        "type": "function_result",
        "call_id": "c1",
        "name": "roll",
        "result": "6",
        "is_error": True,
    }
    assert request.body["generation_config"] == {
        "temperature": 0.5,
        "max_output_tokens": 32_777,
        "thinking_level": "high",
        "thinking_summaries": "auto",
        "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["roll"]}},
    }


async def test_long_answer_ends_at_its_continuation_token() -> None:
    rounds = [[*EVENTS, completed("requires_continuation", continuation_token="tok")], [*EVENTS, completed()]]

    async def respond(_: web.Request) -> web.Response:
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in rounds.pop(0))
        return web.Response(text=text, content_type="text/event-stream")

    preset = Preset("google-interactions", GoogleInteractions())
    async with serving(respond) as server, HttpProvider(preset, base_url=server.url, model="m") as provider:
        events = [event async for event in provider.stream(user("Hi"))]

    assert "".join(one.text for one in events if isinstance(one, TextDelta)) == "HelloHello"
    assert events[-1] == Finish()
    assert [body.get("continuation_token") for body in server.bodies] == [None, "tok"]
