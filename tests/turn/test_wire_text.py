"""Lines of an HTTP response are no words: the one who passes them on is told what to write, and people see none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from streamcord import say
from streamcord.providers import from_openai
from streamcord.testing import FakeChannel

CHUNK = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
BARE = {"choices": [{"delta": {"content": "Hi"}}]}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}
WIRE = [
    f"data: {json.dumps(CHUNK)}",
    f"data: {json.dumps(BARE)}\n\ndata: [DONE]\n\n",
    f"data:{json.dumps(GEMINI)}",
    json.dumps(CHUNK),
    'data: {"type": "response.created", "response": {}}',
    "event: message_start",
    "event: response.created\ndata: {}",
]
WORDS = [
    '{"choices": ["rock", "paper"]}',
    '{"choices": [{"text": "rock"}], "question": "Which?"}',
    '{"error": "none"}',
    '{"type": "text", "content": []}',
    "data: 42",
    "data: {broken",
    "event: the summer party",
    "{}",
    "[1, 2]",
    "{" * 5000,
]


async def stream(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


@pytest.mark.parametrize("text", WIRE)
@pytest.mark.parametrize("before", [(), ("", "\n")])
async def test_lines_of_a_response_are_refused_before_anything_is_sent(
    text: str, before: tuple[str, ...]
) -> None:
    channel = FakeChannel()

    for source in (stream(*before, text), stream(*before, text.encode())):
        with pytest.raises(TypeError, match=r"is a line of an HTTP response: let an SDK or `HttpProvider`"):
            await say(channel, source)
    with pytest.raises(TypeError, match="is a line of an HTTP response"):
        await say(channel, from_openai(stream(*before, text)))

    assert channel.messages == []


@pytest.mark.parametrize("text", WORDS)
async def test_answers_that_are_json_or_begin_with_data_are_sent(text: str) -> None:
    result = await say(FakeChannel(), stream(text))

    assert result.counts.received == len(text)
    assert result.receipts


async def test_line_of_a_response_later_in_an_answer_is_text() -> None:
    result = await say(FakeChannel(), stream(*["An example: "] * 8, WIRE[0]))

    assert "chat.completion.chunk" in result.text


def made(name: str, **fields: Any) -> Any:
    return type(name, (SimpleNamespace,), {"__module__": "agno.run"})(**fields)


@pytest.mark.parametrize(
    ("item", "advice"),
    [
        (made("RunContentEvent", content="Hi"), r"\(chunk\.content async for chunk in stream\)"),
        (made("StreamResponse", chunk="Hi"), r"\(chunk\.chunk async for chunk in stream\)"),
        # The text of such objects is everything so far: piece by piece it would be doubled.
        (made("PartialAnswer", text="Hi"), "neither text nor an event"),
        ({"candidates": []}, r"from_google\(stream\)"),
        ({"type": "message_start"}, r"from_anthropic\(stream\)"),
        ({"choices": []}, r"from_openai\(stream\)"),
    ],
)
async def test_object_of_an_unknown_framework_is_refused_with_what_to_write(item: Any, advice: str) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=advice):
        await say(channel, stream(item))

    assert channel.messages == []


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (SimpleNamespace(parse=print, http_response=1, headers={}, status_code=200), r"response\.parse\(\)"),
        (SimpleNamespace(headers={}, status=200), "let the SDK of the API or `HttpProvider`"),
        (SimpleNamespace(astream=print, stream=print), r"model\.astream\(question\)"),
        (made("RunOutput", content="Hi"), r"say\(channel, answer\.content\)"),
        (made("ChatMessage", text="Hi"), r"say\(channel, answer\.text\)"),
        (made("CrewOutput", raw="Hi"), r"say\(channel, answer\.raw\)"),
    ],
)
async def test_object_that_is_no_stream_is_refused_with_what_to_write(source: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        await say(FakeChannel(), source)


async def test_mode_of_a_graph_without_messages_is_refused_and_no_empty_answer() -> None:
    event = {"event": "on_chain_start", "run_id": "1", "data": {}}

    with pytest.raises(TypeError, match='stream_mode="messages"'):
        await say(FakeChannel(), stream(event))
