"""The Claude Agent SDK: `say(channel, query(prompt=...))` or `client.receive_response()`."""

from __future__ import annotations

from typing import Any

from ..._events import ProviderEvent
from ..._exceptions import ProviderError
from .frameworks import FrameworkReader, finish_reason, read, text_events, usage_of

_KINDS = ("Message", "Event")
"""How the names of the message classes end; versions add kinds, such as `ConversationResetMessage`."""


class ClaudeAgentReader(FrameworkReader):
    """Reads messages, and with `include_partial_messages` their pieces; then the whole messages repeat them."""

    package = "claude_agent_sdk"
    advice = "give it `query(prompt=...)` or `client.receive_response()`"

    def __init__(self) -> None:
        super().__init__()
        # Whether the current message came in pieces, so that its whole form adds nothing.
        self._in_pieces = False

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return type(chunk).__name__.endswith(_KINDS)

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if read(chunk, "parent_tool_use_id"):
            # A subagent works for the agent: what it says is progress.
            return []
        match type(chunk).__name__:
            case "StreamEvent":
                return self._read_piece(chunk.event)
            case "AssistantMessage":
                return self._read_message(chunk)
            case "ResultMessage":
                return self._read_result(chunk)
            case _:
                return []

    def _read_piece(self, event: dict[str, Any]) -> list[ProviderEvent]:
        delta = read(event, "delta", {})
        match event.get("type"):
            case "message_start":
                self._in_pieces = True
            case "content_block_start" if read(read(event, "content_block", {}), "type") == "tool_use":
                return self.on_tool()
            case "content_block_delta":
                return text_events(read(delta, "text", ""), read(delta, "thinking", ""))
        return []

    def _read_message(self, message: Any) -> list[ProviderEvent]:  # noqa: ANN401
        events: list[ProviderEvent] = []
        for block in message.content:
            if hasattr(block, "name") and hasattr(block, "input"):
                events += self.on_tool() if self._in_pieces else self._tool_after(events)
            elif not self._in_pieces:
                events += text_events(read(block, "text", ""), read(block, "thinking", ""))
        return events

    def _tool_after(self, events: list[ProviderEvent]) -> list[ProviderEvent]:
        """Return a tool's events; text of the same message counts as text before it."""
        self._has_text = self._has_text or bool(events)
        return self.on_tool()

    def _read_result(self, result: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if read(result, "is_error", default=False):
            said = str(read(result, "result", "") or read(result, "subtype", "error"))
            if read(result, "subtype", "").startswith("error_max"):
                self.reason = finish_reason("length")
                return usage_of(read(result, "usage"), "input_tokens", "output_tokens")
            raise ProviderError(
                f"The agent reported an error: {said}", user_message="The agent failed. Try again."
            )
        self.reason = finish_reason(read(result, "stop_reason", ""))
        return usage_of(read(result, "usage"), "input_tokens", "output_tokens")
