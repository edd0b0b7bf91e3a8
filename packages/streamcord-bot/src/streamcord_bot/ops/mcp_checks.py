"""Check the MCP servers of the configuration: whether they start, what they offer, and what was left out."""

from __future__ import annotations

import asyncio
import shutil
from importlib.util import find_spec

from streamcord import ToolError
from streamcord.utils import install_line, one_line

from ..config import McpConfig
from ..config.mcp import open_server
from .check_result import CheckResult

TIMEOUT_S = 60.0
MAX_NAMED = 8
"""Tools that are named; of others the number is said."""


async def check_server(config: McpConfig, *, online: bool = True) -> CheckResult:
    """Start a server or connect to it, and list its tools; with `online=False` only look whether it is there."""
    subject = f"mcp {config.name}"
    where = f"See [tools.mcp.{config.name}] in the file."
    if find_spec("mcp") is None:
        words, advice = "the MCP SDK is not installed", install_line("mcp")
        return CheckResult(subject, ok=False, words=words, advice=advice)
    if config.key_name and not config.key:
        words = f"{config.key_name} is not set"
        return CheckResult(subject, ok=False, words=words, advice=f"export {config.key_name}=...")
    missing = [name for name in config.variables if name not in config.environment]
    if missing:
        words = f"{missing[0]} is not set"
        return CheckResult(subject, ok=False, words=words, advice=f"export {missing[0]}=...")
    if config.command and shutil.which(config.command[0]) is None:
        words = f"there is no program {one_line(config.command[0])[:80]}"
        return CheckResult(subject, ok=False, words=words, advice=where)
    if not online:
        return CheckResult(subject, ok=True, words="not asked")
    return await _ask(config, subject, where)


async def _ask(config: McpConfig, subject: str, where: str) -> CheckResult:
    from streamcord.mcp import from_mcp  # noqa: PLC0415  (an extra)

    async with open_server(config) as server:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                tools = await from_mcp(server, allow=config.allow)
        except (ToolError, TimeoutError):
            words = f"it cannot be reached: {server.error or 'it did not answer in time'}"
            return CheckResult(subject, ok=False, words=words, advice=where)
    names = [one.spec.name for one in tools]
    if not names and not tools.refused:
        return CheckResult(subject, ok=False, words="it offers no tool that `allow` names", advice=where)
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    words = f"{len(names)} tools: {', '.join(names[:MAX_NAMED])}{more}"
    advice = "; ".join(f"{name} is left out: {reason}" for name, reason in tools.refused.items())
    return CheckResult(subject, ok=not tools.refused, words=words, advice=advice[:1000])
