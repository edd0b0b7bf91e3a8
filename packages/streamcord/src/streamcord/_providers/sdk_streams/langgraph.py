"""LangGraph: every stream mode of `astream`, alone or in a list, with subgraphs, v2 parts, events, and v3 runs.

The modes repeat each other: a message arrives in chunks, as a whole in an update, and again in every state after it.
Messages have ids, so what was said is known.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from ..._events import Finish, FinishReason, Flush, ProviderEvent, TextDelta, ToolCall
from .frameworks import KEEP_ALIVE, FrameworkReader
from .langchain import LangChainReader

_MODES = {"messages", "updates", "values", "custom", "debug", "tasks", "checkpoints"}


def is_message(value: object) -> bool:
    """Whether it is a message of LangChain."""
    return hasattr(value, "content") and hasattr(value, "response_metadata") and hasattr(value, "type")


class LangGraphReader(FrameworkReader):
    """Reads the items of a graph's stream, whatever its mode."""

    package = "langgraph"
    advice = 'write `say(channel, graph.astream(input, stream_mode="messages"))`'

    def __init__(self) -> None:
        super().__init__()
        self._words = LangChainReader()
        # Ids of messages that were said, or that the conversation began with.
        self._known: set[str] = set()
        # Ids of messages that came in chunks.
        self._in_chunks: set[str] = set()
        # Calls of the model, and the ids of those that the graph has run.
        self._calls: dict[str, ToolCall] = {}
        self._answered: set[str] = set()
        self._last_id = ""
        # The first item, and whether any had a message: other modes have none, and would be an empty answer.
        self._first: object = None
        self._has_message = False
        # The first state of the mode "values" is the input.
        self._has_state = False

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return isinstance(chunk, tuple | Mapping) or is_message(chunk)

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        self._first = self._first if self._first is not None else chunk
        if isinstance(chunk, Mapping):
            return self._read_mapping(chunk)
        if not isinstance(chunk, tuple):
            return self._say(chunk)
        # A pair of message and metadata, or a payload after its mode, its namespace or both.
        if chunk and is_message(chunk[0]):
            return self._say(chunk[0])
        if chunk and isinstance(chunk[-1], tuple | Mapping):
            mode = next((one for one in chunk[:-1] if isinstance(one, str) and one in _MODES), "")
            return [] if mode in {"custom", "debug", "tasks", "checkpoints"} else self.read(chunk[-1])
        return []

    def _read_mapping(self, values: Mapping[str, Any]) -> list[ProviderEvent]:
        if "event" in values and "data" in values:
            return self._read_event(values)
        if "type" in values and "data" in values:
            # A part of version="v2".
            wanted = values["type"] in {"messages", "updates", "values"}
            return self.read(values["data"]) if wanted and isinstance(values["data"], tuple | Mapping) else []
        if isinstance(values.get("messages"), list):
            # A whole state: the first one is what the run began with.
            first, self._has_state, self._has_message = not self._has_state, True, True
            if first and not self._last_id:
                self._known.update(str(one.id) for one in values["messages"] if is_message(one))
                return []
            return self._say_all(values["messages"])
        events: list[ProviderEvent] = []
        for update in values.values():
            if isinstance(update, Mapping) and isinstance(update.get("messages"), list):
                events += self._say_all(update["messages"])
        return events

    def _read_event(self, event: Mapping[str, Any]) -> list[ProviderEvent]:
        """Read an event of `astream_events`."""
        match event["event"]:
            case "on_chat_model_stream":
                return self._say(event["data"]["chunk"])
            case "on_tool_start":
                return self.on_tool()
            case "on_tool_end" if is_message(output := event["data"].get("output")):
                return self._say(output)
        return []

    def _say_all(self, messages: list[Any]) -> list[ProviderEvent]:
        return [event for message in messages if is_message(message) for event in self._say(message)]

    def _say(self, message: Any) -> list[ProviderEvent]:  # noqa: ANN401
        self._has_message = True
        if message.type == "tool":
            self._answered.add(str(getattr(message, "tool_call_id", "")))
            return self.on_tool()
        id_, is_chunk = str(message.id or ""), message.type == "AIMessageChunk"
        if message.type not in {"ai", "AIMessageChunk"} or id_ in self._known:
            return []
        if not is_chunk:
            self._known.add(id_)
            self._record_calls(message)
            # In an update the id of the same message ends with the number of the generation.
            if id_ in self._in_chunks or id_.rpartition("-")[0] in self._in_chunks:
                return []
        events = self._between(id_) + self._words.feed(message)
        if is_chunk:
            self._in_chunks.add(id_)
        self._last_id = id_
        return events

    def _between(self, id_: str) -> list[ProviderEvent]:
        """Return what ends the message before this one."""
        if not self._last_id or id_ == self._last_id:
            return []
        self._take_calls()
        had_text, self._has_text = self._has_text, False
        return [Flush()] if had_text else []

    def _record_calls(self, message: Any) -> None:  # noqa: ANN401
        for call in getattr(message, "tool_calls", None) or ():
            self._calls[str(call["id"])] = ToolCall(str(call["id"]), call["name"], call["args"])

    def _take_calls(self) -> None:
        """Keep the calls that arrived in chunks."""
        for event in self._words.flush():
            if isinstance(event, ToolCall):
                self._calls[event.id] = event
            elif isinstance(event, Finish):
                self.reason = event.reason
        self._words.restart()

    def flush(self) -> list[ProviderEvent]:
        """Return the calls that no tool of the graph has answered, and the end."""
        if not self._has_message:
            raise TypeError(self.refusal(self._first))
        self._take_calls()
        pending = [call for id_, call in self._calls.items() if id_ not in self._answered]
        reason = FinishReason.STOP if self.reason is FinishReason.TOOL_CALLS else self.reason
        return [*pending, Finish(FinishReason.TOOL_CALLS if pending else reason)]


async def read_run(run: Any) -> AsyncIterator[ProviderEvent]:  # noqa: ANN401
    """Yield the text of a run of `astream_events(..., version="v3")`, message by message."""
    is_first = True
    async for message in run.messages:
        if not is_first:
            yield Flush()
        is_first = False
        async for text in message.text:
            yield TextDelta(text) if text else KEEP_ALIVE
    yield Finish()
