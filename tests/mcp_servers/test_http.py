"""A server of tools on the network: the official SDK's, on loopback, used, flooding, killed and started again."""

from __future__ import annotations

import gzip
import os
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from mcp_servers.test_server import Person, call
from streamcord import ToolError
from streamcord.mcp import McpServer, from_mcp

SERVER = str(Path(__file__).with_name("official_server.py"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Process:
    """The server as a process that can be killed and started again on its port."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        environment = {**os.environ, "MCP_PORT": str(self.port)}
        self._process = subprocess.Popen(
            [sys.executable, SERVER, "http"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self._process.stdout is not None
        # uvicorn says that it listens.
        while b"running on" not in (line := self._process.stdout.readline()):
            assert line, "the server has ended"

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()


@pytest.fixture
async def pages() -> AsyncIterator[str]:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="x" * 20_000_000 if request.path == "/big" else "\x1b[31mhello @everyone")

    app = web.Application()
    app.router.add_get("/{name}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_server_on_the_network_is_used_floods_and_comes_back(pages: str) -> None:
    process = Process()
    process.start()
    try:
        async with McpServer(
            "web", url=process.url, headers={"Authorization": "Bearer x"}, timeout=20
        ) as server:
            tools = await from_mcp(server)
            assert (await call(tools, "web_fetch", url=f"{pages}/page"))[0] == "hello @everyone"
            flood = (await call(tools, "web_fetch", url=f"{pages}/big"))[0]
            assert len(flood) < 21_000
            assert (await call(tools, "web_fetch", url=f"{pages}/page"))[0] == "hello @everyone"
            said = (await call(tools, "web_choose", Person(0, inputs={"branch": "main"})))[0]
            assert "main" in said or said.startswith("Error: ")
            process.kill()
            assert (await call(tools, "web_fetch", url=f"{pages}/page"))[0].startswith(
                "Error: The MCP server web"
            )
            process.start()
            assert (await call(tools, "web_fetch", url=f"{pages}/page"))[0] == "hello @everyone"
    finally:
        process.kill()


async def test_compressed_answer_of_gigabytes_is_refused() -> None:
    asked: list[str] = []
    bomb = gzip.compress(bytes(200_000_000), 1)

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.headers["Accept-Encoding"])
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return web.Response(body=bomb, headers=headers)

    app = web.Application()
    app.router.add_route("*", "/mcp", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        async with McpServer("bomb", url=url, timeout=10) as server:
            with pytest.raises(ToolError, match="MCP server bomb"):
                await from_mcp(server)
    finally:
        await runner.cleanup()
    assert set(asked) == {"identity"}
    # In kilobytes on Linux.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
