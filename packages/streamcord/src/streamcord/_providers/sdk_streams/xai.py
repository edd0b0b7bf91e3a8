"""The xai-sdk: `say(channel, chat.stream())`, which yields pairs of the response so far and a chunk."""

from __future__ import annotations

from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent
from ..tool_calls import CallAssembler
from .frameworks import FrameworkReader, finish_reason, read, text_events, usage_of


class XaiReader(FrameworkReader):
    """Reads the chunks; the responses repeat all text so far."""

    package = "xai_sdk"
    advice = "give it `chat.stream()` of the AsyncClient"

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallAssembler()
        self._response: Any = None

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return isinstance(chunk, tuple) and len(chunk) == 2 and hasattr(chunk[1], "reasoning_content")

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        self._response, piece = chunk
        for index, call in enumerate(piece.tool_calls):
            self._calls.feed(
                index=index, id=call.id, name=call.function.name, arguments=call.function.arguments
            )
        return text_events(piece.content, piece.reasoning_content)

    def flush(self) -> list[ProviderEvent]:
        calls = self._calls.flush()
        reason = finish_reason(read(self._response, "finish_reason", ""))
        usage = usage_of(read(self._response, "usage"), "prompt_tokens", "completion_tokens")
        return [*calls, *usage, Finish(FinishReason.TOOL_CALLS if calls else reason)]
