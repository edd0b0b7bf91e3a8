"""Anthropic's tool runner: `say(channel, client.beta.messages.tool_runner(...))`, with or without `stream=True`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ..._events import Finish, FinishReason, Flush, ProviderEvent, ToolCall
from ..apis.registry import Anthropic
from .chunks import JsonReader
from .frameworks import finish_reason, read, text_events, usage_of


def is_tool_runner(source: object) -> bool:
    """Whether a source is a tool runner: it yields whole messages, or one stream per message."""
    return "ToolRunner" in type(source).__name__


async def read_tool_runner(runner: Any) -> AsyncGenerator[ProviderEvent, None]:  # noqa: ANN401
    """Yield the text of all messages; the runner runs the tools between them."""
    finish = Finish()
    is_first = True
    async for message in runner:
        if not is_first:
            yield Flush()
        is_first = False
        events = _read_stream(message) if hasattr(message, "__aiter__") else _read_message(message)
        async with aclosing(events):
            async for event in events:
                # A call of the last message was run as well, or the runner would continue.
                if isinstance(event, Finish):
                    stops = event.reason is FinishReason.TOOL_CALLS
                    finish = Finish(FinishReason.STOP if stops else event.reason, event.served_by)
                elif not isinstance(event, ToolCall):
                    yield event
    yield finish


async def _read_stream(stream: Any) -> AsyncGenerator[ProviderEvent, None]:  # noqa: ANN401
    reader = JsonReader(Anthropic().decoder())
    async for chunk in stream:
        for event in reader.feed(chunk):
            yield event
    for event in reader.flush():
        yield event


async def _read_message(message: Any) -> AsyncGenerator[ProviderEvent, None]:  # noqa: ANN401
    for block in message.content:
        for event in text_events(read(block, "text", ""), read(block, "thinking", "")):
            yield event
    for event in usage_of(read(message, "usage"), "input_tokens", "output_tokens"):
        yield event
    yield Finish(finish_reason(read(message, "stop_reason", "")))
