"""discord.js, unchanged, completes the same flow, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from discord_twin import Twin
from twin.flow import play

FOLDER = Path(__file__).parent / "js"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs Node 20 or newer")
needs_package = pytest.mark.skipif(
    not (FOLDER / "node_modules" / "discord.js").is_dir(),
    reason="needs discord.js (npm install --no-package-lock in tests/twin/js)",
)


@asynccontextmanager
async def peer(twin: Twin) -> AsyncIterator[list[dict[str, Any]]]:
    """A running discord.js; the list grows with what it says."""
    assert NODE is not None
    environment = {**os.environ, "TWIN_API": f"{twin.base_url}/api", "TWIN_TOKEN": twin.token}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        NODE, "driver.js", cwd=FOLDER, env=environment, stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    assert process.stdout is not None
    said: list[dict[str, Any]] = []
    reader = asyncio.create_task(read(process.stdout, said))
    try:
        yield said
    finally:
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 10)
        await reader


async def read(stream: asyncio.StreamReader, said: list[dict[str, Any]]) -> None:
    async for line in stream:
        said.append(json.loads(line))


@needs_node
@needs_package
async def test_discord_js_completes_the_flow() -> None:
    async with Twin() as twin:
        async with peer(twin) as said:
            await play(twin)
        events = [one["event"] for one in said]

        assert said[0] == {"event": "ready", "user": "streamcord", "guilds": 1}
        assert [one["text"] for one in said if one["event"] == "file"] == ["file content"] * 2
        assert "resumed" in events
        assert "error" not in events
