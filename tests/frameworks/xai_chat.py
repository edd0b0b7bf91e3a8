"""xai-sdk: the pairs of `chat.stream()`."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from checking import AFTER, check
from xai_sdk.chat import Chunk, Response
from xai_sdk.proto import chat_pb2


def pair(text: str, thought: str = "") -> tuple[Response, Chunk]:
    delta = chat_pb2.Delta(content=text, reasoning_content=thought, role=chat_pb2.MessageRole.ROLE_ASSISTANT)
    output = chat_pb2.CompletionOutputChunk(delta=delta, index=0)
    proto = chat_pb2.GetChatCompletionChunk(outputs=[output])
    response = Response(chat_pb2.GetChatCompletionResponse(outputs=[chat_pb2.CompletionOutput()]), 0)
    return response, Chunk(proto, 0)


async def stream() -> AsyncIterator[Any]:
    yield pair("", "Hm.")
    for at in range(0, len(AFTER), 5):
        yield pair(AFTER[at : at + 5])


async def main() -> None:
    result = await check("stream", stream(), (AFTER,))
    assert result.thoughts.raw == "Hm."


asyncio.run(main())
