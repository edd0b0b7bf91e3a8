"""One event of a streamed chat completion as bytes, as OpenAI writes it."""

from __future__ import annotations

import json


def chunk(text: str = "", finish: str | None = None, **more: object) -> bytes:
    """Return one server-sent event."""
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
