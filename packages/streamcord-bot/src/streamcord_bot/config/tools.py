"""`[tools]`: what the model may call, for how long, and what people must approve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from streamcord.providers import ToolLimits
from streamcord.settings import check_fields, setting

from .approvals import ApprovalRule, check_approval
from .mcp import McpConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """`[tools]`: what the model may call, for how long, and what people must approve."""

    enabled: tuple[str, ...] | None = setting(
        None, "Names or patterns of the tools that may be called; left out, all that are registered."
    )
    timeout: float = setting(300.0, "Seconds for one call.")
    rounds: int = setting(100, "Times that the model may be asked in one turn.")
    errors: int = setting(5, "Calls in a row that may fail.")
    calls: int = setting(16, "Calls in one round; further calls are refused, and the model sees that.")
    choices: bool = setting(True, "Whether the model may offer choices as buttons.")
    approve: Mapping[str, str] = setting(
        doc="Which tools people must approve, by name or pattern: always, first (once per conversation) or never.",
        factory=dict,
    )
    approvers: tuple[int, ...] = setting(
        (), "Ids of people or roles who may approve; empty is the person who asked.", minimum=1, is_id=True
    )
    ask_timeout: float = setting(
        900.0, "Seconds after which a question with buttons expires.", minimum=10, maximum=86_400
    )
    mcp: Mapping[str, McpConfig] = setting(
        doc="Servers of tools by the Model Context Protocol, each a table [tools.mcp.NAME].", factory=dict
    )

    def __post_init__(self) -> None:
        check_fields(self)
        # `ToolLimits` checks the numbers.
        _ = self.limits
        for name, value in self.approve.items():
            check_approval(f"approve.{name}", value)

    @property
    def limits(self) -> ToolLimits:
        """The limits in the form that `with_tools` takes."""
        return ToolLimits(timeout=self.timeout, rounds=self.rounds, errors=self.errors, calls=self.calls)

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool may be called at all."""
        return self.enabled is None or any(fnmatchcase(name, pattern) for pattern in self.enabled)

    def approval_of(self, name: str) -> ApprovalRule:
        """Return how a tool must be approved; what names it exactly counts most, then patterns, then its server."""
        server = self.mcp.get(name.partition("_")[0])
        named = (mode for pattern, mode in self.approve.items() if fnmatchcase(name, pattern))
        mode = self.approve.get(name) or next(named, server.approve if server else "never")
        return ApprovalRule(mode, (server.approvers if server else ()) or self.approvers)
