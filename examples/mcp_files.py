"""Give a model the files of one folder, to read only: an MCP server with an allow-list (needs the extra `mcp`)."""

import asyncio
import sys

from streamcord import say
from streamcord.mcp import McpServer, from_mcp
from streamcord.providers import HttpProvider, Provider, user, with_tools
from streamcord.testing import FakeChannel

COMMAND = ["npx", "-y", "@modelcontextprotocol/server-filesystem"]
ALLOW = ["read_text_file", "list_*", "search_files"]


async def answer(channel: FakeChannel, model: Provider, question: str, folder: str) -> None:
    async with McpServer("files", [*COMMAND, folder], timeout=30) as server:
        tools = await from_mcp(server, allow=ALLOW)
        # A server is not trusted: what cannot be used safely is left out, with the reason.
        for name, reason in tools.refused.items():
            print(f"{name} is left out: {reason}")
        await say(channel, with_tools(model, user(question), tools))


async def main() -> None:
    channel = FakeChannel()
    async with HttpProvider("ollama", model="qwen3") as model:
        await answer(channel, model, " ".join(sys.argv[2:]) or "Which files are there?", sys.argv[1])
    print("\n".join(channel.texts))


if __name__ == "__main__":
    asyncio.run(main())
