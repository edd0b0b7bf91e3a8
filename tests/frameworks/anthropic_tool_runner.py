"""anthropic: the tool runner, with whole messages and with streams."""

import asyncio
import json
from typing import Any

from anthropic import AsyncAnthropic, beta_async_tool
from checking import AFTER, BEFORE, check
from loopback import serving, sse


@beta_async_tool
async def look(question: str) -> str:
    """Look something up.

    Args:
        question: What to look up.
    """
    return "42"


CALL = {"type": "tool_use", "id": "c", "name": "look", "input": {"question": "x"}}


def message(text: str, *more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}, *more] if text else []
    reason = ("tool_use" if more else "end_turn") if text else None
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }


def streamed(text: str, *more: dict[str, Any]) -> bytes:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message("")}]
    events += [{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    events += [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text[at : at + 4]},
        }
        for at in range(0, len(text), 4)
    ]
    events += [{"type": "content_block_stop", "index": 0}]
    for call in more:
        events += [{"type": "content_block_start", "index": 1, "content_block": {**call, "input": {}}}]
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
        events += [
            {"type": "content_block_delta", "index": 1, "delta": delta},
            {"type": "content_block_stop", "index": 1},
        ]
    reason = "tool_use" if more else "end_turn"
    events += [
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]
    return sse(*events, named=True)


def runner(url: str, **options: Any) -> Any:
    client = AsyncAnthropic(api_key="none", base_url=url)
    question = [{"role": "user", "content": "hi"}]
    return client.beta.messages.tool_runner(
        model="m", max_tokens=100, tools=[look], messages=question, **options
    )


async def main() -> None:
    bodies = [json.dumps(one).encode() for one in (message(BEFORE, CALL), message(AFTER))]
    with serving(*bodies, kind="application/json") as url:
        await check("whole messages", runner(url))
    with serving(streamed(BEFORE, CALL), streamed(AFTER)) as url:
        await check("streams", runner(url, stream=True))


asyncio.run(main())
