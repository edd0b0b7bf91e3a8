"""A refusal is sent like any answer, and the result says that it is one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from providers.streams import frames
from streamcord import Ending, FinishReason, say
from streamcord._providers.apis.base import ServerEvent
from streamcord.providers import from_anthropic, from_google, from_openai
from streamcord.testing import FakeChannel

FIXTURES = Path(__file__).parent.parent / "providers" / "fixtures"


async def objects(name: str) -> AsyncIterator[Any]:
    for frame in frames([(FIXTURES / f"{name}.sse").read_bytes()]):
        if isinstance(frame, ServerEvent) and frame.data != "[DONE]":
            yield json.loads(frame.data)


@pytest.mark.parametrize(
    ("name", "adapt", "reason"),
    [
        ("openai/refusal", from_openai, FinishReason.REFUSED),
        ("openai-responses/refusal", from_openai, FinishReason.REFUSED),
        ("anthropic/refusal", from_anthropic, FinishReason.FILTERED),
        ("google/safety_with_text", from_google, FinishReason.FILTERED),
    ],
)
async def test_refusal_of_every_api_is_sent_and_told(name: str, adapt: Any, reason: FinishReason) -> None:
    channel = FakeChannel()

    result = await say(channel, adapt(objects(name)))

    assert channel.texts == [result.text]
    assert result.ending is Ending.REFUSED
    assert result.finish_reason is reason
    # A filter cuts the answer off, a model that declines completes it.
    assert result.is_cut is (reason is FinishReason.FILTERED)


def run_event(kind: str, **data: Any) -> Any:
    return SimpleNamespace(type="raw_response_event", data=SimpleNamespace(type=kind, **data))


async def agent_run(*events: Any) -> AsyncIterator[Any]:
    made = type("Event", (SimpleNamespace,), {"__module__": "agents.stream_events"})
    for event in events:
        yield made(**vars(event))


@pytest.mark.parametrize(
    ("last", "ending", "reason"),
    [
        (run_event("response.refusal.delta", delta="I will not."), Ending.REFUSED, FinishReason.REFUSED),
        (run_event("response.output_text.delta", delta="Done."), Ending.COMPLETED, FinishReason.STOP),
    ],
)
async def test_last_words_of_an_agent_decide_whether_it_refused(
    last: Any, ending: Ending, reason: FinishReason
) -> None:
    channel = FakeChannel()
    first = run_event("response.refusal.delta", delta="Not this way.\n\n")

    result = await say(channel, agent_run(first, last))

    assert channel.texts == ["Not this way.", last.data.delta]
    assert (result.ending, result.finish_reason) == (ending, reason)


async def test_incomplete_response_of_an_agent_is_cut() -> None:
    details = SimpleNamespace(incomplete_details=SimpleNamespace(reason="max_output_tokens"), usage=None)
    words = run_event("response.output_text.delta", delta="Half a sen")

    result = await say(FakeChannel(), agent_run(words, run_event("response.incomplete", response=details)))

    assert (result.finish_reason, result.is_cut) == (FinishReason.LENGTH, True)


REFUSED_TEXT = "I will not."
WHOLE = [
    # Chat completions: the content of a refusal is None.
    SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content=None, refusal=REFUSED_TEXT))], id="chatcmpl"
    ),
    # Responses: `output_text` leaves refusals out.
    SimpleNamespace(
        model_dump=dict,
        output_text="",
        output=[SimpleNamespace(content=[SimpleNamespace(type="refusal", refusal=REFUSED_TEXT)])],
    ),
]


@pytest.mark.parametrize("answer", WHOLE)
async def test_refusal_that_is_a_whole_answer_is_sent(answer: Any) -> None:
    channel = FakeChannel()

    await say(channel, answer)

    assert channel.texts == [REFUSED_TEXT]


async def test_whole_answer_without_words_is_empty() -> None:
    message = SimpleNamespace(content="", refusal=None)

    result = await say(
        FakeChannel(), SimpleNamespace(choices=[SimpleNamespace(message=message)], id="chatcmpl")
    )

    assert result.ending is Ending.EMPTY_RESPONSE
