"""Vercel's UI message stream: objects of pydantic-ai, dicts, and the lines that travel."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from checking import AFTER, BEFORE, check
from pydantic_ai.ui.vercel_ai import response_types as parts

from streamcord.providers import from_ui_messages

PARTS = [
    parts.StartChunk(),
    parts.TextStartChunk(id="1"),
    *(parts.TextDeltaChunk(id="1", delta=piece) for piece in (BEFORE[:5], BEFORE[5:])),
    parts.TextEndChunk(id="1"),
    parts.ToolInputStartChunk(tool_call_id="c", tool_name="look"),
    parts.TextStartChunk(id="2"),
    *(parts.TextDeltaChunk(id="2", delta=piece) for piece in (AFTER[:5], AFTER[5:])),
    parts.TextEndChunk(id="2"),
    parts.FinishChunk(),
    parts.DoneChunk(),
]


async def stream(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


async def main() -> None:
    dicts = [part.model_dump(mode="json", by_alias=True) for part in PARTS[:-1]]
    await check("objects", stream(PARTS))
    await check("dicts", stream(dicts))
    lines = [f"data: {part.model_dump_json(by_alias=True)}\n" for part in PARTS[:-1]]
    await check("lines", from_ui_messages(stream([*lines, "\n", "data: [DONE]\n"])))
    await check("bytes", from_ui_messages(stream([line.encode() for line in lines])))


asyncio.run(main())
