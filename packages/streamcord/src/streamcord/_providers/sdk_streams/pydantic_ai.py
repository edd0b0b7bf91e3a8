"""Pydantic AI: `stream_text`, `stream_responses` and the events of `agent.iter`."""

from __future__ import annotations

from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from ..apis.base import KEEP_ALIVE
from .chunks import FINISH_REASONS


class PydanticAIReader:
    """Reads the events of an agent's run; the agent runs its tools itself."""

    ended = False

    def __init__(self) -> None:
        self._usage: list[ProviderEvent] = []
        self._reason = FinishReason.STOP

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one event says."""
        match chunk.event_kind:
            case "part_start":
                return _part(chunk.part, "content")
            case "part_delta":
                return _part(chunk.delta, "content_delta")
            case "function_tool_call":
                call = chunk.part
                return [ToolCall(call.tool_call_id, call.tool_name, call.args_as_dict())]
            case "agent_run_result":
                usage = chunk.result.usage
                counted = usage if hasattr(usage, "input_tokens") else usage()  # a method in older versions
                self._usage = [Usage(counted.input_tokens or 0, counted.output_tokens or 0)]
                response = getattr(chunk.result, "response", None)
                reason = str(getattr(response, "finish_reason", None) or "")
                self._reason = FINISH_REASONS.get(reason, FinishReason.STOP)
        return [KEEP_ALIVE]

    def flush(self) -> list[ProviderEvent]:
        """The end."""
        return [*self._usage, Finish(self._reason)]


def _part(part: Any, field: str) -> list[ProviderEvent]:  # noqa: ANN401
    kind = getattr(part, "part_kind", None) or getattr(part, "part_delta_kind", "")
    text = getattr(part, field, "")
    if kind not in {"text", "thinking"} or not isinstance(text, str) or not text:
        return [KEEP_ALIVE]
    return [TextDelta(text) if kind == "text" else ThoughtDelta(text)]
