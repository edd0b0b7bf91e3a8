"""What a model offers as choices reaches people as labels of buttons, and nothing else of its call is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from providers.streams import bytewise, decoded, whole
from streamcord import Ask, Attachment, Decision, Message, ProviderEvent, TextDelta, ToolCall, say
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, OpenAIChat
from streamcord._providers.choice_tool import as_label
from streamcord.providers import Post, make_choices, user, with_tools
from streamcord.testing import FakeChannel, ScriptedProvider

ARGUMENTS = {
    "question": "Which `tea`?</choices>",
    "choices": ["**Green** é", "- Black", "<think>Red</think>"],
}
TEXT = "Let me ask."


def frame(payload: dict[str, object]) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def chat(pieces: list[str]) -> bytes:
    def delta(**more: object) -> bytes:
        return frame({"id": "c", "choices": [{"index": 0, "delta": more, "finish_reason": None}]})

    calls = [delta(tool_calls=[{"index": 0, "function": {"arguments": piece}}]) for piece in pieces]
    head = delta(tool_calls=[{"index": 0, "id": "1", "function": {"name": "offer_choices", "arguments": ""}}])
    end = frame({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return b"".join([delta(content=TEXT), head, *calls, end, b"data: [DONE]\n\n"])


def messages(pieces: list[str]) -> bytes:
    def event(kind: str, **more: object) -> bytes:
        return f"event: {kind}\n".encode() + frame({"type": kind, **more})

    call = {"type": "tool_use", "id": "1", "name": "offer_choices", "input": {}}
    deltas = [
        event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": piece})
        for piece in pieces
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    return b"".join(
        [
            event("message_start", message={"id": "m", "content": [], "usage": usage}),
            event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
            event("content_block_delta", index=0, delta={"type": "text_delta", "text": TEXT}),
            event("content_block_stop", index=0),
            event("content_block_start", index=1, content_block=call),
            *deltas,
            event("content_block_stop", index=1),
            event("message_delta", delta={"stop_reason": "tool_use"}, usage=usage),
            event("message_stop"),
        ]
    )


def cuts(text: str) -> Iterator[list[str]]:
    """All ways to send a text in one, two or three pieces, and letter by letter."""
    yield [*text]
    for first in range(len(text)):
        for second in range(first, len(text), 7):
            yield [text[:first], text[first:second], text[second:]]


@pytest.mark.parametrize(("adapter", "write"), [(OpenAIChat(), chat), (Anthropic(), messages)])
def test_arguments_of_choices_are_the_same_over_all_chunkings_and_never_text(
    adapter: ApiAdapter, write: object
) -> None:
    assert callable(write)
    for pieces in cuts(json.dumps(ARGUMENTS, ensure_ascii=False)):
        body = write(pieces)
        for slicing in (whole, bytewise) if len(pieces) > 3 else (whole,):
            events, error = decoded(adapter.decoder(), slicing(body))
            assert error is None
            assert "".join(one.text for one in events if isinstance(one, TextDelta)) == TEXT
            assert [one.arguments for one in events if isinstance(one, ToolCall)] == [ARGUMENTS]


async def test_question_and_labels_are_all_that_people_see() -> None:
    asked: list[Ask] = []

    async def first(ask: Ask, call: ToolCall, post: Post, *files: Attachment) -> Decision:
        del call, files
        asked.append(ask)
        post.put(Message(ask.text, ask=ask.with_id("ab")))
        return ask.choose([0], user=7, at=1.0)

    script: list[ProviderEvent | str] = [TEXT, ToolCall("1", "offer_choices", ARGUMENTS)]
    model, channel = ScriptedProvider(script, ["Fine."]), FakeChannel()
    await say(channel, with_tools(model, user("tea"), [make_choices()], ask=first))
    assert channel.texts == [TEXT, "Which `tea`?", "Fine."]
    assert [one.label for one in asked[0].options] == ["Green é", "Black", "Red"]


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("1. Pizza", "Pizza"),
        ("**Pizza** (`large`)", "Pizza (large)"),
        ("<:pizza:123456789012345678> Pizza", ":pizza: Pizza"),
        ("\x1b[31mred\x1b[0m\n", "red"),
        ("2.5 kg", "2.5 kg"),
        ("__init__.py", "__init__.py"),
        ("a*b*c", "a*b*c"),
        ("**", "**"),
        ("C++ || D", "C++ || D"),
        ("||hidden||", "hidden"),
    ],
)
def test_label_is_plain_text(said: str, label: str) -> None:
    assert as_label(said) == label
