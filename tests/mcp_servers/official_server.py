"""A server of the official SDK: `http` on the port of MCP_PORT, or `stdio`."""

import asyncio
import os
import sys

import aiohttp
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel

server = MCPServer("official")


class Branch(BaseModel):
    branch: str


@server.tool()
async def fetch(url: str) -> str:
    """Fetch a page."""
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return await response.text()


@server.tool()
async def choose(ctx: Context) -> str:
    """Ask for a branch."""
    answer = await ctx.elicit("Which branch?", schema=Branch)
    return f"{answer.action} {getattr(answer, 'data', None)}"


if __name__ == "__main__":
    if sys.argv[1] == "http":
        asyncio.run(server.run_streamable_http_async(host="127.0.0.1", port=int(os.environ["MCP_PORT"])))
    else:
        asyncio.run(server.run_stdio_async())
