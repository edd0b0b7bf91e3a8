"""The Claude Agent SDK: `query` with a transport that says what Claude Code says, whole and in pieces."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from checking import AFTER, BEFORE, check
from claude_agent_sdk import ClaudeSDKClient, ResultMessage, Transport, query

ENVELOPE = {"session_id": "s", "parent_tool_use_id": None, "uuid": "u"}
CALL = {"type": "tool_use", "id": "c", "name": "look", "input": {}}


def whole(*blocks: dict[str, Any], parent: str | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "model": "claude", "content": list(blocks)}
    return {"type": "assistant", **ENVELOPE, "parent_tool_use_id": parent, "message": message}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def pieces(words: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start"}]
    events += [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": words[at : at + 4]},
        }
        for at in range(0, len(words), 4)
    ]
    return [{"type": "stream_event", **ENVELOPE, "event": event} for event in events]


FOUND = {"type": "tool_result", "tool_use_id": "c", "content": "42"}
TOOL_RESULT = {"type": "user", **ENVELOPE, "message": {"role": "user", "content": [FOUND]}}
BEGIN = {"type": "system", "subtype": "init", "session_id": "s"}
END = {
    "type": "result",
    "subtype": "success",
    "duration_ms": 1,
    "duration_api_ms": 1,
    "is_error": False,
    "num_turns": 2,
    "session_id": "s",
    "result": AFTER,
    "usage": {"input_tokens": 7, "output_tokens": 5},
}
SUBAGENT = whole(text("I am a subagent."), parent="c")
WHOLE = [BEGIN, whole(text(BEFORE), CALL), SUBAGENT, TOOL_RESULT, whole(text(AFTER)), END]
IN_PIECES = [
    BEGIN,
    *pieces(BEFORE),
    whole(text(BEFORE)),
    whole(CALL),
    TOOL_RESULT,
    *pieces(AFTER),
    whole(text(AFTER)),
    END,
]


class ClaudeCode(Transport):
    """Answers the SDK as the program `claude` does."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.messages = messages
        self.asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def connect(self) -> None: ...

    async def write(self, data: str) -> None:
        self.asked.put_nowait(json.loads(data))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            asked = await self.asked.get()
            if asked["type"] == "control_request":
                response = {"subtype": "success", "request_id": asked["request_id"], "response": {}}
                yield {"type": "control_response", "response": response}
            elif asked["type"] == "user":
                for message in self.messages:
                    yield message
                return

    async def close(self) -> None: ...

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...


async def main() -> None:
    results = [one async for one in query(prompt="hi", transport=ClaudeCode(WHOLE))]
    assert isinstance(results[-1], ResultMessage)
    assert results[-1].result == AFTER
    result = await check("claude-agent-sdk query", query(prompt="hi", transport=ClaudeCode(WHOLE)))
    assert result.usage is not None
    assert result.usage.output_tokens == 5
    await check("claude-agent-sdk partial messages", query(prompt="hi", transport=ClaudeCode(IN_PIECES)))
    async with ClaudeSDKClient(transport=ClaudeCode(IN_PIECES)) as client:
        await client.query("hi")
        await check("claude-agent-sdk receive_response", client.receive_response())


asyncio.run(main())
