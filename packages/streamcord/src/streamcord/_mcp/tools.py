"""The tools of an MCP server as tools for `with_tools`."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import mcp_types

from .._common.control_characters import strip_controls
from .._events import Attachment
from .._exceptions import ToolError
from .._providers.prompt import ToolSpec
from .._providers.tools import AskUser, Post, Tool
from .results import ResultLimits, read_result
from .schemas import check_arguments, clean_description, clean_schema, tool_name
from .server import McpServer

PROGRESS_INTERVAL_S = 2.0
MAX_SHOWN_CHARS = 80
_POST, _ASK = "post_", "ask_"
"""Parameters that are not the model's; a server's parameter of that name is refused."""

_log = logging.getLogger(__name__)


class McpTools(list[Tool]):
    """The usable tools of a server.

    Example:
        tools = await from_mcp(server)
        for name, reason in tools.refused.items():
            print(f"{name} is left out: {reason}")

    """

    def __init__(self, tools: Sequence[Tool] = (), refused: dict[str, str] | None = None) -> None:
        super().__init__(tools)
        self.refused = refused or {}
        """Tools that were left out, each with the reason."""


async def from_mcp(
    server: McpServer,
    *,
    allow: Sequence[str] = ("*",),
    max_chars: int = 20_000,
) -> McpTools:
    """Return the tools that a server offers, for `with_tools`.

    Args:
        server: The server.
        allow: Patterns of names that may be used, such as `read_*`; the names are those of the server.
        max_chars: Characters of a result that the model gets.

    Raises:
        ToolError: The server cannot be reached.

    Example:
        async with McpServer("wiki", url="https://wiki.example.com/mcp") as server:
            await say(message, with_tools(provider, prompt, await from_mcp(server), ask=asks.ask))

    """
    offered = await server.list_tools()
    # Schemas may be large: reading them must not hold up anything else.
    found = await asyncio.to_thread(_read_tools, server, offered, allow, ResultLimits(max_chars))
    for name, reason in found.refused.items():
        _log.warning("MCP server %s: tool %s is left out: %s", server.name, name, reason)
    return found


def _read_tools(
    server: McpServer, offered: Sequence[mcp_types.Tool], allow: Sequence[str], limits: ResultLimits
) -> McpTools:
    made: dict[str, Tool] = {}
    refused: dict[str, str] = {}
    for one in offered:
        if not any(fnmatchcase(one.name, pattern) for pattern in allow):
            continue
        name = strip_controls(one.name[:MAX_SHOWN_CHARS])
        try:
            tool = _make(server, one, limits)
        except ValueError as error:
            refused[name] = str(error)
        else:
            if tool.spec.name in made:
                refused[name] = "another tool has its name"
            made.setdefault(tool.spec.name, tool)
    return McpTools([*made.values()], refused)


def _make(server: McpServer, offered: mcp_types.Tool, limits: ResultLimits) -> Tool:
    name = tool_name(server.name, offered.name)
    schema = clean_schema(offered.input_schema)
    if {_POST, _ASK} & schema["properties"].keys():
        raise ValueError("one of its parameters has a reserved name")
    description = clean_description(offered.description or offered.title)

    async def call(**arguments: Any) -> str:  # noqa: ANN401 - as the server has them
        post: Post = arguments.pop(_POST)
        ask: AskUser = arguments.pop(_ASK)
        await asyncio.to_thread(check_arguments, schema, arguments)
        result = await server.call(offered.name, arguments, ask, _Progress(post))
        text = read_result(result, limits, partial(_attach, post))
        if result.is_error:
            raise ToolError(text)
        return text

    return Tool(call, ToolSpec(name, description, schema), _POST, _ASK)


class _Progress:
    """Passes on what a server says while its tool runs, at most every two seconds: it may say it without end."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._next_at = 0.0

    def __call__(self, step: str) -> None:
        now = time.monotonic()
        if step and now >= self._next_at:
            self._next_at = now + PROGRESS_INTERVAL_S
            self._post.progress(step)


def _attach(post: Post, file: Attachment) -> None:
    post("", file)
