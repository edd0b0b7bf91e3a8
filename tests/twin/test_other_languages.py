"""The client for JavaScript and the example in Java, with their own tests, against the command `discord-twin`."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from discord_twin import ControlApi, Twin, TwinOptions
from npm_package import NODE, needs_node

ROOT = Path(__file__).parent.parent.parent
JAVA = shutil.which("java") if shutil.which("javac") else None


async def run(*command: str, **environment: str) -> str:
    """Return what a program prints; it must end well."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), 90)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, out.decode()[-3000:]
    return out.decode()


@needs_node
async def test_the_client_for_javascript_passes_its_tests() -> None:
    assert NODE is not None
    tests = ROOT / "clients" / "npm" / "test" / "client.test.js"
    command = f"{sys.executable} -m discord_twin"
    out = await run(NODE, "--test", str(tests), TWIN_COMMAND=command, DISCORD_TWIN_URL="")
    assert "fail 0" in out


@pytest.mark.skipif(JAVA is None, reason="needs a JDK")
async def test_the_example_in_java_runs() -> None:
    assert JAVA is not None
    async with Twin(TwinOptions.without_limits()) as twin:
        ControlApi(twin)
        example = str(ROOT / "examples" / "java" / "PingBot.java")
        assert "ok: pong" in await run(JAVA, example, DISCORD_TWIN_URL=twin.base_url)
