"""The Agent Client Protocol (https://agentclientprotocol.com): the updates of one prompt.

A client gets updates in its method `session_update`; put them into a queue and give `from_acp` an iterator over it.
"""

from __future__ import annotations

from typing import Any

from ..._events import ProviderEvent
from .frameworks import FrameworkReader, finish_reason, read, text_events


class AcpReader(FrameworkReader):
    """Reads `SessionNotification`s, their updates, or the same as dicts; a `PromptResponse` may end them."""

    package = "acp"
    advice = "give `from_acp` the updates that `session_update` gets"

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return bool(cls._kind(read(chunk, "update", chunk)) or cls._stop_reason(chunk))

    @staticmethod
    def _kind(update: Any) -> str:  # noqa: ANN401
        return str(read(update, "session_update") or read(update, "sessionUpdate", ""))

    @staticmethod
    def _stop_reason(chunk: Any) -> str:  # noqa: ANN401
        return str(read(chunk, "stop_reason") or read(chunk, "stopReason", ""))

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if reason := self._stop_reason(chunk):
            self.reason = finish_reason(reason)
            return []
        update = read(chunk, "update", chunk)
        text = read(read(update, "content"), "text", "")
        match self._kind(update):
            case "agent_message_chunk":
                return text_events(text)
            case "agent_thought_chunk":
                return text_events("", text)
            case "tool_call":
                return self.on_tool()
        return []
