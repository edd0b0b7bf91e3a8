"""Google's Interactions API: `say(channel, await client.aio.interactions.create(..., stream=True))`."""

from __future__ import annotations

from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent
from ..._exceptions import ProviderError
from ..apis.base import truncated
from ..tool_calls import CallAssembler
from .frameworks import FrameworkReader, finish_reason, read, text_events, usage_of

_OWN_TOOLS = ("google_search", "code_execution", "url_context", "mcp_server", "file_search", "google_maps")


class GoogleInteractionsReader(FrameworkReader):
    """Reads the steps of an interaction; functions are the caller's, Google's own tools are progress."""

    package = "google"
    advice = "give it `await client.aio.interactions.create(..., stream=True)`"

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallAssembler()
        self._complete = False

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return isinstance(getattr(chunk, "event_type", None), str)

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        match chunk.event_type:
            case "step.start":
                return self._read_start(read(chunk, "step"), read(chunk, "index", 0))
            case "step.delta":
                return self._read_delta(read(chunk, "delta"), read(chunk, "index", 0))
            case "interaction.completed":
                self._complete = True
                interaction = read(chunk, "interaction")
                self.reason = finish_reason(read(interaction, "status", ""))
                return usage_of(read(interaction, "usage"), "total_input_tokens", "total_output_tokens")
            case "error":
                said = read(read(chunk, "error"), "message", "no message")
                raise ProviderError(
                    f"The provider reported an error: {said}", user_message="The provider failed."
                )
        return []

    def _read_start(self, step: Any, index: int) -> list[ProviderEvent]:  # noqa: ANN401
        kind = str(read(step, "type", ""))
        if kind == "function_call":
            self._calls.feed(index=index, id=read(step, "id", ""), name=read(step, "name", ""), arguments="")
        if kind.startswith(_OWN_TOOLS) and kind.endswith("_call"):
            return self.on_tool()
        parts = read(step, "content", ())
        texts = [read(part, "text", "") for part in parts] if isinstance(parts, list | tuple) else []
        return text_events("".join(texts)) if kind == "model_output" else []

    def _read_delta(self, delta: Any, index: int) -> list[ProviderEvent]:  # noqa: ANN401
        match str(read(delta, "type", "")):
            case "text":
                return text_events(read(delta, "text", ""))
            case "thought_summary":
                return text_events("", read(read(delta, "content", delta), "text", ""))
            case "arguments_delta":
                self._calls.feed(index=index, id="", name="", arguments=read(delta, "arguments", ""))
        return []

    def flush(self) -> list[ProviderEvent]:
        if not self._complete:
            raise truncated("The interaction ended before it was complete.")
        calls = self._calls.flush()
        return [*calls, Finish(FinishReason.TOOL_CALLS if calls else self.reason)]
