"""The OpenAI Agents SDK: `say(channel, Runner.run_streamed(agent, question))`."""

from __future__ import annotations

from typing import Any

from ..._events import FinishReason, ProviderEvent, Usage
from .frameworks import FrameworkReader, finish_reason, read, text_events

_THOUGHTS = {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}
_REFUSAL = "response.refusal.delta"
_TEXT = {"response.output_text.delta", _REFUSAL}


class OpenAIAgentsReader(FrameworkReader):
    """Reads the events of a run; each model response in it ends with `response.completed`, the run does not."""

    package = "agents"
    advice = "give it the result of `Runner.run_streamed(...)`, or its `stream_events()`"

    def __init__(self) -> None:
        super().__init__()
        self._usage = Usage()

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return str(getattr(chunk, "type", "")).endswith("_event")

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if chunk.type == "run_item_stream_event":
            return self.on_tool() if chunk.name in {"tool_called", "handoff_requested"} else []
        return self._read_response(chunk.data) if chunk.type == "raw_response_event" else []

    def _read_response(self, data: Any) -> list[ProviderEvent]:  # noqa: ANN401
        kind = read(data, "type", "")
        if kind in _TEXT:
            self.reason = FinishReason.REFUSED if kind == _REFUSAL else FinishReason.STOP
            return text_events(read(data, "delta", ""))
        if kind in _THOUGHTS:
            return text_events("", read(data, "delta", ""))
        if kind == "response.incomplete":
            details = read(read(data, "response"), "incomplete_details")
            self.reason = finish_reason(read(details, "reason", "incomplete"))
        if kind in {"response.completed", "response.incomplete"}:
            usage = read(read(data, "response"), "usage")
            new = read(usage, "input_tokens", 0), read(usage, "output_tokens", 0)
            self._usage = Usage(self._usage.input_tokens + new[0], self._usage.output_tokens + new[1])
            return [self._usage]
        return []
