"""AG-UI (https://docs.ag-ui.com): events of `ag_ui.core`, or the same as dicts."""

from __future__ import annotations

from typing import Any

from ..._events import ProviderEvent
from ..._exceptions import ProviderError
from .frameworks import FrameworkReader, read, text_events, usage_of

_TEXT = {"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"}
_THOUGHTS = {"REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK", "THINKING_TEXT_MESSAGE_CONTENT"}
_TOOLS = {"TOOL_CALL_START", "TOOL_CALL_CHUNK"}


class AgUiReader(FrameworkReader):
    """Reads the events of a run; text of subagents is progress."""

    package = "ag_ui"
    advice = "give it the events of a run, for example `agent.run(RunAgentInput(...))`"

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return cls._kind(chunk).isupper()

    @staticmethod
    def _kind(chunk: Any) -> str:  # noqa: ANN401
        kind = read(chunk, "type", "")
        return str(getattr(kind, "value", kind))

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        kind = self._kind(chunk)
        if kind == "RUN_ERROR":
            said = read(chunk, "message", "no message")
            raise ProviderError(
                f"The agent reported an error: {said}", user_message="The agent failed. Try again."
            )
        if read(chunk, "subagent_run_id") or read(chunk, "subagentRunId"):
            return []
        if kind in _TEXT and read(chunk, "role", "assistant") == "assistant":
            return text_events(read(chunk, "delta", ""))
        if kind in _THOUGHTS:
            return text_events("", read(chunk, "delta", ""))
        if kind in _TOOLS:
            return self.on_tool()
        return (
            usage_of(read(chunk, "usage"), "input_tokens", "output_tokens") if kind == "RUN_FINISHED" else []
        )
