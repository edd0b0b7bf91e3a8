"""litellm: the responses API."""

import asyncio

import litellm
from checking import AFTER, check
from loopback import serving, sse

RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 0,
    "model": "m",
    "output": [],
    "status": "in_progress",
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
}
DELTA = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0}
EVENTS = [
    {"type": "response.created", "response": RESPONSE, "sequence_number": 0},
    *({**DELTA, "delta": half, "sequence_number": 1} for half in (AFTER[:7], AFTER[7:])),
    {"type": "response.completed", "response": {**RESPONSE, "status": "completed"}, "sequence_number": 2},
]


async def main() -> None:
    with serving(sse(*EVENTS, named=True)) as url:
        stream = await litellm.aresponses(
            model="openai/gpt-5-mini", input="hi", stream=True, api_key="none", api_base=url
        )
        await check("responses", stream, (AFTER,))


asyncio.run(main())
