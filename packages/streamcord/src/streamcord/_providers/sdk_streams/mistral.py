"""The mistralai SDK: `say(channel, await client.chat.stream_async(...))`, and its conversations."""

from __future__ import annotations

from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent
from ..tool_calls import CallAssembler
from .frameworks import FrameworkReader, finish_reason, read, text_events, usage_of


class MistralReader(FrameworkReader):
    """Reads completion chunks, whose content is text or a list of parts, and the events of conversations."""

    package = "mistralai"
    advice = (
        "give it `await client.chat.stream_async(...)`, or `start_stream_async(...)` of its conversations"
    )

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallAssembler()

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return hasattr(chunk, "data")

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        data = chunk.data
        kind = str(read(data, "type", ""))
        if kind == "message.output.delta":
            return self._content(read(data, "content", ""))
        if kind.startswith("tool.execution.started"):
            return self.on_tool()
        events: list[ProviderEvent] = []
        for choice in read(data, "choices", ())[:1]:
            delta = choice.delta
            events += self._content(read(delta, "content", ""))
            for index, call in enumerate(read(delta, "tool_calls", ()) or ()):
                arguments = call.function.arguments
                self._calls.feed(
                    index=read(call, "index", index),
                    id=read(call, "id", ""),
                    name=call.function.name,
                    arguments=arguments,
                )
            if reason := read(choice, "finish_reason"):
                self.reason = finish_reason(reason)
        return events + usage_of(read(data, "usage"), "prompt_tokens", "completion_tokens")

    def _content(self, content: Any) -> list[ProviderEvent]:  # noqa: ANN401
        if isinstance(content, str):
            return text_events(content)
        events: list[ProviderEvent] = []
        for part in content if isinstance(content, list) else [content]:
            thoughts = read(part, "thinking", ())
            thought = "".join(str(read(one, "text", "")) for one in thoughts)
            events += text_events(read(part, "text", ""), thought)
        return events

    def flush(self) -> list[ProviderEvent]:
        calls = self._calls.flush()
        return [*calls, Finish(FinishReason.TOOL_CALLS if calls else self.reason)]
