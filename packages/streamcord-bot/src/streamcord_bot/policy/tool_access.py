"""Decide which tools a persona may call for a person: by `[tools]`, `[personas]` and the lists of MCP servers.

Whether people must approve a call is another question: `config/approvals.py`, `answering/tool_approvals.py`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..config import BotConfig
from ..config.mcp import McpConfig
from .access import Requester, is_open


def may_call(config: BotConfig, persona: str, tool: str) -> bool:
    """Return whether a tool may be called, and by this persona."""
    speaker = config.persona(persona)
    patterns = speaker.tools if speaker else ("*",)
    return config.tools.is_enabled(tool) and any(fnmatchcase(tool, one) for one in patterns)


def may_use_server(config: McpConfig, persona: str, requester: Requester) -> bool:
    """Return whether the tools of an MCP server may be called by this persona for this person."""
    wanted = {one.casefold() for one in config.personas}
    return (not wanted or persona.casefold() in wanted) and is_open(config.access, requester)
