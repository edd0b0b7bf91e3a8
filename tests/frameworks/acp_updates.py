"""ACP: updates as the Python library gives them to a client, and as JSON."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from acp import schema
from checking import AFTER, BEFORE, check

from streamcord.providers import from_acp


def said(text: str) -> schema.AgentMessageChunk:
    content = schema.TextContentBlock(type="text", text=text)
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=content)


UPDATES = [
    said(BEFORE[:7]),
    said(BEFORE[7:]),
    schema.ToolCallStart(session_update="tool_call", tool_call_id="c", title="look"),
    said(AFTER[:7]),
    said(AFTER[7:]),
    schema.PromptResponse(stop_reason="end_turn"),
]


async def stream(updates: list[Any]) -> AsyncIterator[Any]:
    for update in updates:
        yield update


async def main() -> None:
    await check("acp, objects", stream(UPDATES))
    await check("acp, from_acp", from_acp(stream(UPDATES)))
    await check(
        "acp, JSON", from_acp(stream([one.model_dump(mode="json", by_alias=True) for one in UPDATES]))
    )


asyncio.run(main())
