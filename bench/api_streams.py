"""The most frequent event of every API as bytes, and the shortest code that reads it.

Sequence numbers and padding of random length are included, because real streams have them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import msgspec
from canned import chunk


@dataclass(frozen=True)
class ApiStream:
    """A preset that uses the API, how to write one event, and how a stream ends."""

    preset: str
    event: Callable[[str, int], bytes]
    end: bytes
    reader: str
    """Name of the bare reader for it."""

    @property
    def blank(self) -> bytes:
        """The separator between two events."""
        return b"\r\n\r\n" if self.end.endswith(b"\r\n") else b"\n\n"


def written(payload: object, name: str = "", end: str = "\n\n") -> bytes:
    line = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
    return (f"event: {name}\n" * bool(name) + f"data: {line}{end}").encode()


def padded_chat(text: str, number: int) -> bytes:
    return chunk(text).replace(b"k3JxPq", b"k3JxPq0aBcDeFgH"[: Random(number).randint(1, 15)])


def response(text: str, number: int) -> bytes:
    kind = "response.output_text.delta"
    place = {"item_id": "msg_68af3b1c9f6c81a3b6d2f0e4c7a95d12", "output_index": 1, "content_index": 0}
    padding = "k3JxPq0aBcDeFgH"[: Random(number).randint(1, 15)]
    words = {"delta": text, "logprobs": [], "obfuscation": padding}
    return written({"type": kind, "sequence_number": number + 4, **place, **words}, kind)


def block(text: str, _: int) -> bytes:
    kind = "content_block_delta"
    return written({"type": kind, "index": 0, "delta": {"type": "text_delta", "text": text}}, kind)


def content(text: str, number: int) -> bytes:
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
    details = {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}]}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": number, "totalTokenCount": 9 + number, **details}
    payload = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3-flash"}
    return written({**payload, "responseId": "nQ2waKz3FvCtxN8P1aWbkAE"}, end="\r\n\r\n")


def completion(text: str, _: int) -> bytes:
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": None}
    head = {"id": "cmpl-8f2a6c", "object": "text_completion", "created": 1794788017, "model": "glm-4-6"}
    return written({**head, "choices": [choice]})


CHAT_END = chunk(finish="stop") + b"data: [DONE]\n\n"
RESPONSE_END = {"type": "response.completed", "response": {"status": "completed"}}
API_STREAMS = {
    "chat": ApiStream("custom", lambda text, _: chunk(text), CHAT_END, "chat"),
    "padded": ApiStream("custom", padded_chat, CHAT_END, "chat"),
    "completions": ApiStream("novelai", completion, CHAT_END, "completions"),
    "responses": ApiStream(
        "openai-responses", response, written(RESPONSE_END, "response.completed"), "responses"
    ),
    "anthropic": ApiStream(
        "anthropic", block, written({"type": "message_stop"}, "message_stop"), "anthropic"
    ),
    "google": ApiStream(
        "google", content, written({"candidates": [{"finishReason": "STOP"}]}, end="\r\n\r\n"), "google"
    ),
}


# --- The shortest reader: typed structs of msgspec with only the fields that it needs ---------------------


def bare_readers():
    """Return a function for every API that counts the characters of some events."""
    make, text = msgspec.defstruct, str | None
    delta = make("Delta", [("content", text, None)])
    choice = make("Choice", [("delta", delta), ("finish_reason", text, None)])
    spoken = make("Spoken", [("text", text, None)])
    # Only this key tells reasoning from text, so even the shortest reader must decode it.
    part = make("Part", [("text", text, None), ("thought", bool, False)])
    candidate = make("Candidate", [("content", make("Content", [("parts", list[part])]) | None, None)])
    chat = make("Chunk", [("choices", list[choice])])
    kinds = {
        "completions": (make("Completion", [("choices", list[spoken])]), lambda it: it.choices[0].text),
        "responses": (
            make("Event", [("type", str), ("delta", text, None)]),
            lambda it: it.delta if it.type == "response.output_text.delta" else None,
        ),
        "anthropic": (make("Block", [("delta", spoken | None, None)]), lambda it: it.delta and it.delta.text),
        "google": (make("Response", [("candidates", list[candidate])]), _google_words),
    }
    readers = {name: _reader(msgspec.json.Decoder(kind), words) for name, (kind, words) in kinds.items()}
    return {"chat": _chat_reader(msgspec.json.Decoder(chat)), **readers}


def _google_words(response):
    content = response.candidates[0].content
    return content.parts[0].text if content and not content.parts[0].thought else None


def _chat_reader(decoder):
    def read(events: list[bytes]) -> int:
        length = 0
        for event in events:
            if event.startswith(b"data: {"):
                length += len(decoder.decode(event[6:]).choices[0].delta.content or "")
        return length

    return read


def _reader(decoder, words):
    def read(events: list[bytes]) -> int:
        length = 0
        for event in events:
            if (at := event.find(b"data: {")) >= 0:
                length += len(words(decoder.decode(event[at + 6 :])) or "")
        return length

    return read
