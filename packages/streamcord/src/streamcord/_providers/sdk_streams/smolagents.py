"""smolagents: `say(channel, agent.run(task, stream=True))`, a generator that is read in a thread.

An agent writes code and calls tools until it has a final answer. Only that answer is shown; what the model writes on
the way is kept as thoughts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

from ..._events import ProviderEvent
from .frameworks import FrameworkReader, read, text_events

_KINDS = {
    "ActionOutput",
    "ActionStep",
    "ChatMessageStreamDelta",
    "FinalAnswerStep",
    "PlanningStep",
    "ToolCall",
    "ToolOutput",
}
_END = object()


class SmolagentsReader(FrameworkReader):
    """Reads the steps of an agent."""

    package = "smolagents"
    advice = "give it `agent.run(task, stream=True)`"

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        return type(chunk).__name__ in _KINDS

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        match type(chunk).__name__:
            case "ChatMessageStreamDelta":
                return text_events("", read(chunk, "content", ""))
            case "FinalAnswerStep":
                return text_events(str(read(chunk, "output", "")))
            case _:
                return []


async def read_in_thread(steps: Iterator[Any]) -> AsyncIterator[Any]:
    """Yield what a blocking generator yields; each step runs in a thread, so that the event loop is free."""
    try:
        while (step := await asyncio.to_thread(next, steps, _END)) is not _END:
            yield step
    finally:
        close = getattr(steps, "close", None)
        if close is not None:
            # While a step still runs in its thread, it cannot be closed; it ends with that step.
            with suppress(ValueError):
                close()
