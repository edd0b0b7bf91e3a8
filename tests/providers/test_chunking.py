"""The events of an answer do not depend on how its bytes were sliced into network reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from providers.streams import decoded, share, slices
from streamcord._events import KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, Usage
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.novelai import NovelAI
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses
from streamcord._providers.response_reader import ResponseReader

Writer = Callable[[Any, dict[str, Any]], dict[str, Any]]


def chat(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    delta = {"content": text, **more.get("delta", {})}
    choice = {"index": 0, "delta": delta, "finish_reason": None, **more.get("choice", {})}
    return {
        "id": "c",
        "created": more["n"],
        "choices": [choice],
        "obfuscation": "x" * more["n"],
        **more["top"],
    }


def completion(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": None, **more.get("choice", {})}
    return {"id": "c", "created": more["n"], "choices": [choice], **more["top"]}


def responses(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    payload = {"type": "response.output_text.delta", "sequence_number": more["n"], **place, "delta": text}
    return {**payload, "obfuscation": "x" * more["n"], **more.get("delta", {}), **more["top"]}


def messages(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    delta = {"type": "text_delta", "text": text, **more.get("delta", {})}
    return {"type": "content_block_delta", "index": 0, "delta": delta, **more["top"]}


def content(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    candidate = {"content": {"parts": [{"text": text, **more.get("delta", {})}], "role": "model"}, "index": 0}
    usage = {"promptTokenCount": 4, "candidatesTokenCount": more["n"], "totalTokenCount": 4 + more["n"]}
    payload = {"candidates": [{**candidate, **more.get("choice", {})}], "usageMetadata": usage}
    return {**payload, "responseId": "r", **more["top"]}


def thinking(write: Writer, path: tuple[str | int, ...], changes: dict[str, Any]) -> Writer:
    """The same events, but what they say is a thought."""

    def written(text: Any, more: dict[str, Any]) -> dict[str, Any]:
        payload = write(text, more)
        inner: Any = payload
        for key in path:
            # An event without a choice says no thought.
            inner = inner[key] if inner else {}
        inner.update({key: text if value == "TEXT" else value for key, value in changes.items()})
        return payload

    return written


WRITERS: list[tuple[ApiAdapter, Writer]] = [
    (OpenAIChat(), chat),
    (OpenAIChat(cumulative=True), chat),
    (OpenAIResponses(), responses),
    (Anthropic(), messages),
    (Google(), content),
    (Google(cumulative=True), content),
    (NovelAI(), completion),
]
THINKING: list[tuple[ApiAdapter, Writer]] = [
    (OpenAIChat(), thinking(chat, ("choices", 0, "delta"), {"content": None, "reasoning_content": "TEXT"})),
    (OpenAIChat(), thinking(chat, ("choices", 0, "delta"), {"content": "", "reasoning": "TEXT"})),
    (OpenAIResponses(), thinking(responses, (), {"type": "response.reasoning_summary_text.delta"})),
    (Anthropic(), thinking(messages, ("delta",), {"type": "thinking_delta", "text": "", "thinking": "TEXT"})),
    (Google(), thinking(content, ("candidates", 0, "content", "parts", 0), {"thought": True})),
]
CALL = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
DELTAS: list[dict[str, Any]] = [
    {"role": "assistant"},
    {"reasoning_content": "hm"},
    {"refusal": "no"},
    {"tool_calls": [CALL]},
    {"content": None},
    {"content": ["x"]},
    {"created": 5},
    {"type": "thinking_delta", "thinking": "hm"},
    {"thought": True},
    {"thoughtSignature": "s"},
    {"functionCall": {"name": "f"}},
    {"type": "response.output_text.done", "text": "Hello"},
    {"type": "response.reasoning_text.delta"},
    {"type": "response.refusal.delta"},
    {"item_id": "other"},
]
CHOICES: list[dict[str, Any]] = [
    {"index": 1},
    {"finish_reason": "stop"},
    {"finish_reason": "length"},
    {"finishReason": "STOP"},
    {"finishReason": "MAX_TOKENS"},
    {"error": {"code": 502, "message": "bad"}},
    {"text": "completed"},
]
TOPS: list[dict[str, Any]] = [
    {"usage": {"prompt_tokens": 3, "completion_tokens": 5}},
    {"usage": None},
    {"provider": "A"},
    {"provider": "B"},
    {"error": {"message": "no"}},
    {"choices": []},
    {"candidates": []},
    {"choices": [{"delta": {"content": "a"}}, {"index": 1, "delta": {"content": "b"}}]},
    {"usageMetadata": {"promptTokenCount": 9}},
    {"promptFeedback": {"blockReason": "OTHER"}},
    {"type": "message_stop"},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}},
    {"type": "ping"},
    {"type": "response.completed", "response": {"usage": {"input_tokens": 1, "output_tokens": 2}}},
    {"id": "other"},
    {"n": "x"},
]
TEXTS = st.one_of(
    st.sampled_from(
        ["Hello", " there", ".\n\n", '"', "\\", "é", "😀", "\ud83d", "\ude00", "data: {", "", "id"]
    ),
    st.text(max_size=4),
    st.none(),
)
SPECIAL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"top": st.just({}) | st.sampled_from(TOPS)},
    optional={"delta": st.sampled_from(DELTAS), "choice": st.sampled_from(CHOICES)},
)
EVENTS = st.tuples(
    TEXTS,
    st.integers(0, 9),
    st.one_of(*[st.just({"top": {}})] * 4, SPECIAL),
    st.sampled_from([""] * 12 + ["twice", "named", "comment", "broken", "bytes", "spaced", "crlf", "done"]),
)


def written(payload: dict[str, Any], how: str, *, ascii_only: bool) -> bytes:
    """One event as a server could write it, or as none should."""
    separators = (", ", ": ") if how == "spaced" else (",", ":")
    data = json.dumps(payload, ensure_ascii=ascii_only, separators=separators)
    if how == "twice":
        data = data[:-1] + data[data.index(",") :]
    if how == "broken":
        data = data.replace('"', '\\"', 7)
    head = {"named": "event: message\n", "comment": ": alive\n\n"}.get(how, "")
    line = "[DONE]" if how == "done" else data
    sent = f"{head}data: {line}\n\n".encode("utf-8", "surrogatepass")
    sent = sent.replace(b"e", b"\xe2\x82", 1) if how == "bytes" else sent
    return sent.replace(b"\n", b"\r\n") if how == "crlf" else sent


def like(one: Any, other: Any) -> bool:
    return bool(replace(one, text="") == replace(other, text=""))


def summary(events: list[ProviderEvent], error: ProviderError | None) -> tuple[list[object], object, str]:
    """What is left if words may be sliced in any way, and of numbers that grow the last ones count."""
    said: list[Any] = []
    for one in events:
        last: Any = said[-1] if said else None
        if isinstance(one, TextDelta | ThoughtDelta) and type(one) is type(last) and like(one, last):
            said[-1] = replace(one, text=last.text + one.text)
        elif not isinstance(one, KeepAlive | Usage):
            said.append(one)
    counted = [one for one in events if isinstance(one, Usage)]
    return said, counted[-1:], repr(error)


def heard(dialect: ApiAdapter, reads: list[bytes]) -> tuple[list[object], object, str]:
    reader = ResponseReader(dialect.decoder())
    events: list[ProviderEvent] = []
    try:
        for read in reads:
            if not reader.ended:
                events += reader.feed(read)
        events += reader.flush()
        events += reader.finish("The stream ended")
    except ProviderError as error:
        return summary(events, error)
    return summary(events, None)


@share(12)
@given(st.sampled_from([*WRITERS, *THINKING]), st.lists(EVENTS, min_size=2, max_size=14), st.data())
def test_how_bytes_are_sliced_does_not_change_the_events(
    writer: tuple[ApiAdapter, Writer],
    events: list[tuple[Any, int, dict[str, Any], str]],
    data: st.DataObject,
) -> None:
    dialect, write = writer
    ascii_only = data.draw(st.booleans())
    sent = [
        written(write(text, {**more, "n": number}), how, ascii_only=ascii_only)
        for text, number, more, how in events
    ]
    expected = summary(*decoded(dialect.decoder(), [b"".join(sent)]))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(sent)))) | {len(sent)})
    reads = [b"".join(sent[start:end]) for start, end in zip([0, *cuts], cuts, strict=False)]

    assert heard(dialect, reads) == expected
    assert heard(dialect, slices(len(sent), 600)(b"".join(sent))) == expected
