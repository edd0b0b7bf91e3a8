"""A stream of chat completions as bytes, and an HTTP client that answers every request with it: no sockets.

Used in our environment and in litellm's, which wants another `openai`; so it imports nothing of us.
"""

from __future__ import annotations

import json


def chunk(text: str = "", finish: str | None = None, **more: object) -> bytes:
    """One event, as OpenAI writes it."""
    delta = {"content": text} if text else {}
    payload = {
        "id": "chatcmpl-BvQ2w8ZC1mXk0T5sJ3uRfYhL9aNqP",
        "object": "chat.completion.chunk",
        "created": 1794788017,
        "model": "gpt-5-mini-2025-08-07",
        "service_tier": "default",
        "system_fingerprint": None,
        "choices": [{"index": 0, "delta": {**delta, **more}, "logprobs": None, "finish_reason": finish}],
        "obfuscation": "k3JxPq",
    }
    return b"data: " + json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n"


def stream(texts: list[str]) -> list[bytes]:
    """The reads of an answer: one token each, and the end."""
    return [*map(chunk, texts), chunk(finish="stop"), b"data: [DONE]\n\n"]


def client(httpx, reads):
    """An async client of this httpx (or httpx2), whose every answer is these reads."""

    class Body(httpx.AsyncByteStream):  # type: ignore[name-defined]
        async def __aiter__(self):
            for read in reads:
                yield read

    class Canned(httpx.AsyncBaseTransport):  # type: ignore[name-defined]
        async def handle_async_request(self, _):
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())

    return httpx.AsyncClient(transport=Canned())
