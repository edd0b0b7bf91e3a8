"""The tools of the MCP servers of the configuration: found in the background, kept, and offered to who may use them.

An answer never waits for a server that is slow or gone: it gets the tools that are known. A server that cannot be
reached is asked again after a while. Its process or connection is that of `streamcord.mcp.McpServer`, one for all
answers, which starts it again when it has ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamcord import ToolError
from streamcord.providers import Tool

from ..config import McpConfig
from ..config.mcp import open_server
from ..policy.access import Requester
from ..policy.tool_access import may_use_server

if TYPE_CHECKING:
    from streamcord.mcp import McpServer

REFRESH_INTERVAL_S = 600.0
"""How long the list of a server's tools is used."""
RETRY_INTERVAL_S = 30.0
"""How soon a server is asked again that could not be reached."""
CLOSE_TIMEOUT_S = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server as `/tools` shows it."""

    config: McpConfig
    tools: tuple[str, ...]
    """The names of the tools that may be called."""
    refused: Mapping[str, str]
    """Tools that were left out, with the reasons."""
    error: str
    """Why it cannot be reached; empty if it can."""
    is_known: bool
    """Whether it was asked yet."""


class _Source:
    """One server, and the tools that it had when it was asked last."""

    def __init__(self, config: McpConfig, server: McpServer, clock: Callable[[], float]) -> None:
        self.config = config
        self.server = server
        self.tools: tuple[Tool, ...] = ()
        self.refused: Mapping[str, str] = {}
        self.error = ""
        # Set once the server was asked for the first time, whatever it said.
        self.is_known = asyncio.Event()
        self._clock = clock
        self._refresh_at = 0.0
        # Asks the server; `None` before the first time.
        self._task: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Ask the server in the background for its tools, if that is due."""
        if self._clock() >= self._refresh_at and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._ask())

    async def _ask(self) -> None:
        from streamcord.mcp import from_mcp  # noqa: PLC0415  (an extra)

        try:
            found = await from_mcp(self.server, allow=self.config.allow, max_chars=self.config.result_length)
        except ToolError as error:
            self.error = self.server.error or str(error)
            _log.warning("MCP server %s: its tools could not be listed: %s", self.config.name, self.error)
        else:
            self.error, self.tools, self.refused = "", tuple(found), found.refused
        finally:
            self._refresh_at = self._clock() + (RETRY_INTERVAL_S if self.error else REFRESH_INTERVAL_S)
            self.is_known.set()

    async def close(self) -> None:
        """End the process or the connection."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self.server.close()


class McpToolbox:
    """The MCP servers of a bot; without any, it does nothing.

    Example:
        toolbox = McpToolbox(config.tools.mcp)
        toolbox.start()
        tools = toolbox.tools_for("Luna", requester)

    """

    def __init__(self, configs: Mapping[str, McpConfig], clock: Callable[[], float] = time.monotonic) -> None:
        self._sources = [_Source(one, open_server(one), clock) for one in configs.values()]

    def start(self) -> None:
        """Ask all servers for their tools, in the background."""
        for source in self._sources:
            source.refresh()

    async def wait_known(self, seconds: float) -> None:
        """Wait until all servers were asked once, at most for so long: the first answer should have tools, too."""
        waiting = [asyncio.ensure_future(one.is_known.wait()) for one in self._sources]
        if waiting:
            self.start()
            _, late = await asyncio.wait(waiting, timeout=seconds)
            for one in late:
                one.cancel()

    def tools_for(self, persona: str, requester: Requester, taken: Collection[str] = ()) -> list[Tool]:
        """Return the tools that may be called in an answer.

        Args:
            persona: The persona that speaks.
            requester: Who asks, and where.
            taken: Names of the bot's own tools, which no server may take.

        """
        open_ = [one for one in self._sources if may_use_server(one.config, persona, requester)]
        for source in open_:
            source.refresh()
        return [tool for source in open_ for tool in source.tools if tool.spec.name not in taken]

    def states_for(self, persona: str, requester: Requester) -> Iterable[ServerState]:
        """Return the servers that a person may use here."""
        for source in self._sources:
            if may_use_server(source.config, persona, requester):
                names = tuple(one.spec.name for one in source.tools)
                yield ServerState(
                    source.config, names, source.refused, source.error, source.is_known.is_set()
                )

    async def close(self) -> None:
        """End all processes and connections."""
        closing = [asyncio.ensure_future(one.close()) for one in self._sources]
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_TIMEOUT_S)
