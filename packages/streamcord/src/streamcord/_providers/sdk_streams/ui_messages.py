"""The UI message stream of Vercel's AI SDK: parts as dicts, as objects, or as server-sent events `data: {...}`.

https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from ..._events import ProviderEvent
from ..._exceptions import ProviderError
from ..apis.base import truncated
from .frameworks import FrameworkReader, finish_reason, read, text_events

_KINDS = {"start", "finish", "error", "abort", "start-step", "finish-step", "message-metadata", "done"}
_BEGINNINGS = ("text-", "reasoning-", "tool-", "source-", "data-", "file")
MAX_LINE_CHARS = 32 << 20
"""The longest line; a part may hold a file as base64."""


class UiMessageReader(FrameworkReader):
    """Reads the parts of a UI message stream."""

    package = "ai"
    advice = "give `from_ui_messages` its parts, or the body of the response: lines `data: {...}`"

    def __init__(self) -> None:
        super().__init__()
        self._lines = _Lines()

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        kind = read(chunk, "type", "")
        return isinstance(kind, str) and (kind in _KINDS or kind.startswith(_BEGINNINGS))

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if not isinstance(chunk, str | bytes):
            return super().feed(chunk)
        return [
            event for part in self._lines.feed(chunk) for event in super(UiMessageReader, self).feed(part)
        ]

    def flush(self) -> list[ProviderEvent]:
        rest = [event for part in self._lines.flush() for event in super(UiMessageReader, self).feed(part)]
        if not self._is_known:
            raise truncated("The response has no part of a UI message stream.")
        return [*rest, *super().flush()]

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        match read(chunk, "type", ""):
            case "text-delta":
                return text_events(read(chunk, "delta", ""))
            case "reasoning-delta":
                return text_events("", read(chunk, "delta", ""))
            case "tool-input-start" | "tool-input-available":
                return self.on_tool()
            case "finish":
                self.reason = finish_reason(read(chunk, "finishReason") or read(chunk, "finish_reason"))
            case "error":
                said = read(chunk, "errorText") or read(chunk, "error_text", "no message")
                raise ProviderError(f"The stream reported an error: {said}", user_message="The model failed.")
        return []


class _Lines:
    """The parts of server-sent events that arrive as lines, or as chunks that are cut anywhere."""

    def __init__(self) -> None:
        # A chunk may end inside of a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # The line that has not ended yet, in the pieces that came.
        self._begun: list[str] = []
        self._begun_chars = 0

    def feed(self, chunk: str | bytes) -> Iterator[Any]:
        """Yield the parts of all lines that are complete."""
        text = chunk if isinstance(chunk, str) else self._decoder.decode(chunk)
        *complete, rest = text.split("\n")
        if complete:
            yield from _parts("".join((*self._begun, complete[0])))
            self._begun, self._begun_chars = [], 0
            for line in complete[1:]:
                yield from _parts(line)
        if not self._begun and _is_whole(rest):
            # Some clients give lines without their end.
            yield from _parts(rest)
        elif rest:
            self._begun.append(rest)
            self._begun_chars += len(rest)
            if self._begun_chars > MAX_LINE_CHARS:
                raise ProviderError("a line of the stream is too long", user_message="The model failed.")

    def flush(self) -> Iterator[Any]:
        """Yield the part of a last line without an end."""
        yield from _parts("".join(self._begun))
        self._begun = []


def _is_whole(line: str) -> bool:
    return bool(line.endswith("}") and list(_parts(line, strict=False)))


def _parts(line: str, *, strict: bool = True) -> Iterator[Any]:
    """Yield the part of a line, if it has one: blank lines, comments, names of events and `[DONE]` have none."""
    text = line.strip().removeprefix("data:").strip()
    if not text.startswith("{"):
        return
    try:
        yield json.loads(text)
    except ValueError:
        if strict:
            raise ProviderError(
                "a line of the stream is not JSON", user_message="The model failed."
            ) from None
