"""llama-index: `astream_chat` of a model, or `handler.stream_events()` of an agent."""

from __future__ import annotations

from typing import Any

from ..._events import ProviderEvent
from .frameworks import FrameworkReader, read, text_events

_TOOLS = {"ToolCall", "ToolCallResult"}


class LlamaIndexReader(FrameworkReader):
    """Reads the deltas; an agent's other events are progress."""

    package = "llama_index"
    advice = "give it `await llm.astream_chat(...)`, or `agent.run(...).stream_events()`"

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return hasattr(chunk, "delta") or type(chunk).__module__.startswith(
            ("llama_index.core.agent", "llama_index.core.workflow", "workflows")
        )

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if type(chunk).__name__ in _TOOLS:
            return self.on_tool()
        thought = read(chunk, "thinking_delta", "") or read(
            read(chunk, "additional_kwargs", {}), "thinking_delta", ""
        )
        return text_events(read(chunk, "delta", ""), thought)
