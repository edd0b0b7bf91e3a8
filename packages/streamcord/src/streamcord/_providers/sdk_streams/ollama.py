"""The ollama SDK: `say(channel, await AsyncClient().chat(..., stream=True))`."""

from __future__ import annotations

from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent, ToolCall
from .frameworks import FrameworkReader, finish_reason, read, text_events, usage_of


class OllamaReader(FrameworkReader):
    """Reads the chunks of `chat` and `generate`; ollama runs no tools, so its calls are the caller's."""

    package = "ollama"
    advice = "give it `await client.chat(..., stream=True)` or `await client.generate(..., stream=True)`"

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return hasattr(chunk, "message") or hasattr(chunk, "response")

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        message = read(chunk, "message", chunk)
        text = read(message, "content", "") or read(message, "response", "")
        events = text_events(text, read(message, "thinking", ""))
        for call in read(message, "tool_calls", ()):
            self._calls += 1
            events.append(ToolCall(f"call_{self._calls}", call.function.name, dict(call.function.arguments)))
        if read(chunk, "done", default=False):
            self.reason = finish_reason(read(chunk, "done_reason"))
            events += usage_of(chunk, "prompt_eval_count", "eval_count")
        return events

    def flush(self) -> list[ProviderEvent]:
        return [Finish(FinishReason.TOOL_CALLS if self._calls else self.reason)]
