"""AG-UI: the events of a run, as objects and as the JSON that travels."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ag_ui import core
from checking import AFTER, BEFORE, check

EVENTS = [
    core.RunStartedEvent(thread_id="t", run_id="r"),
    core.TextMessageStartEvent(message_id="1", role="assistant"),
    *(core.TextMessageContentEvent(message_id="1", delta=piece) for piece in (BEFORE[:5], BEFORE[5:])),
    core.TextMessageEndEvent(message_id="1"),
    core.ToolCallStartEvent(tool_call_id="c", tool_call_name="look"),
    core.ToolCallEndEvent(tool_call_id="c"),
    core.ToolCallResultEvent(message_id="2", tool_call_id="c", content="42", role="tool"),
    core.ReasoningMessageContentEvent(message_id="3", delta="Hm."),
    core.TextMessageStartEvent(message_id="4", role="assistant"),
    *(core.TextMessageContentEvent(message_id="4", delta=piece) for piece in (AFTER[:5], AFTER[5:])),
    core.TextMessageEndEvent(message_id="4"),
    core.RunFinishedEvent(thread_id="t", run_id="r"),
]


async def stream(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


async def main() -> None:
    result = await check("objects", stream(EVENTS))
    assert result.thoughts.raw == "Hm."
    await check("JSON", stream([event.model_dump(mode="json") for event in EVENTS]))
    print("ag-ui: good")


asyncio.run(main())
