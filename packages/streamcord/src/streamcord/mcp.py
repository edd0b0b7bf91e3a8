"""Tools by the Model Context Protocol, from servers on this machine or on the network; needs the extra `mcp`.

    async with McpServer("files", ["npx", "-y", "@modelcontextprotocol/server-filesystem", "/data"]) as server:
        tools = await from_mcp(server, allow=["read_*"])
        await say(message, with_tools(provider, user(message.content), tools))

A server is not trusted: names are prefixed, schemas and results are bounded and cleaned, its process gets none of
your keys, and a server that fails is left alone for a while.
"""

from __future__ import annotations

from ._common.optional_dependencies import require

# Before any module that imports the SDK, so that the error names the command that installs it.
require("mcp", "streamcord.mcp needs the MCP SDK", "mcp")

from ._mcp.server import McpServer  # noqa: E402
from ._mcp.tools import McpTools, from_mcp  # noqa: E402

__all__ = ["McpServer", "McpTools", "from_mcp"]
