"""The Claude Agent SDK: whole messages, and messages in pieces."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from checking import AFTER, BEFORE, check
from claude_agent_sdk import AssistantMessage, ResultMessage, StreamEvent, TextBlock, ToolUseBlock


def whole(text: str, *more: Any) -> AssistantMessage:
    return AssistantMessage(content=[TextBlock(text), *more], model="claude")


def pieces(text: str) -> list[StreamEvent]:
    events = [{"type": "message_start"}]
    events += [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text[at : at + 4]}}
        for at in range(0, len(text), 4)
    ]
    return [StreamEvent(uuid="u", session_id="s", event=event) for event in events]


CALL = ToolUseBlock(id="c", name="look", input={})
END = ResultMessage(
    subtype="success",
    duration_ms=1,
    duration_api_ms=1,
    is_error=False,
    num_turns=2,
    session_id="s",
    result=AFTER,
    usage={"input_tokens": 7, "output_tokens": 5},
)


async def stream(*messages: Any) -> AsyncIterator[Any]:
    for message in messages:
        yield message


async def main() -> None:
    result = await check("whole", stream(whole(BEFORE, CALL), whole(AFTER), END))
    assert result.usage is not None
    assert result.usage.output_tokens == 5
    partial = [*pieces(BEFORE), whole(BEFORE), whole("", CALL), *pieces(AFTER), whole(AFTER), END]
    await check("in pieces", stream(*partial))
    print("claude-agent-sdk: good")


asyncio.run(main())
