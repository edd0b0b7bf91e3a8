"""Vercel's AI SDK in Node: the UI message stream that it serves, as bytes in chunks and as lines."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
from checking import AFTER, BEFORE, check

from streamcord.providers import from_ui_messages

# Where `npm install ai zod` was run.
FOLDER = Path(os.environ["NODE_FOLDER"])


async def chunks(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    async for chunk in response.content.iter_chunked(37):
        yield chunk


async def main() -> None:
    program = FOLDER / "vercel_ai.mjs"
    shutil.copy(Path(__file__).with_suffix(".mjs"), program)
    texts = json.dumps([BEFORE, AFTER])
    node = await asyncio.create_subprocess_exec("node", program, texts, stdout=asyncio.subprocess.PIPE)
    assert node.stdout is not None
    try:
        told = json.loads(await node.stdout.readline())
        assert told["said"] == [BEFORE, AFTER], told
        url = f"http://127.0.0.1:{told['port']}/"
        async with aiohttp.ClientSession() as session:
            async with session.post(url) as response:
                result = await check("Vercel ai, lines of HTTP", from_ui_messages(response.content))
            assert result.thoughts.raw == "Hm."
            async with session.post(url) as response:
                await check("Vercel ai, chunks of HTTP", from_ui_messages(chunks(response)))
    finally:
        node.terminate()
        await node.wait()


asyncio.run(main())
