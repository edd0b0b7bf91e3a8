"""The UI message stream of Vercel's AI SDK: parts as dicts, as objects, or as lines `data: {...}`.

https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
"""

from __future__ import annotations

import json
from typing import Any

from ..._events import ProviderEvent
from ..._exceptions import ProviderError
from .frameworks import FrameworkReader, finish_reason, read, text_events

__all__ = ["UiMessageReader"]

_KINDS = {"start", "finish", "error", "abort", "start-step", "finish-step", "message-metadata", "done"}
_BEGINNINGS = ("text-", "reasoning-", "tool-", "source-", "data-", "file")


class UiMessageReader(FrameworkReader):
    """Reads the parts of a UI message stream."""

    package = "ai"
    advice = "give `from_ui_messages` its parts, or its lines `data: {...}`"

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        kind = read(_parse(chunk), "type", "")
        return isinstance(kind, str) and (kind in _KINDS or kind.startswith(_BEGINNINGS) or not kind)

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        part = _parse(chunk)
        match read(part, "type", ""):
            case "text-delta":
                return text_events(read(part, "delta", ""))
            case "reasoning-delta":
                return text_events("", read(part, "delta", ""))
            case "tool-input-start" | "tool-input-available":
                return self.on_tool()
            case "finish":
                self.reason = finish_reason(read(part, "finishReason") or read(part, "finish_reason"))
            case "error":
                said = read(part, "errorText") or read(part, "error_text", "no message")
                raise ProviderError(f"The stream reported an error: {said}", user_message="The model failed.")
        return []


def _parse(chunk: Any) -> Any:  # noqa: ANN401
    """Return a part; a line of server-sent events is parsed, and one without a part is an empty dict."""
    if isinstance(chunk, bytes):
        chunk = chunk.decode("utf-8", "replace")
    if not isinstance(chunk, str):
        return chunk
    text = chunk.strip().removeprefix("data:").strip()
    if not text.startswith("{"):
        return {}
    try:
        return json.loads(text)
    except ValueError:
        return {"type": "error", "errorText": "a line is not JSON; give whole lines"}
