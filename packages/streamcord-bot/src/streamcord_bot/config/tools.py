"""`[tools]`: what the model may call, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord.providers import ToolLimits
from streamcord.settings import check_fields, setting

__all__ = ["ToolConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """`[tools]`: what the model may call, and for how long."""

    enabled: tuple[str, ...] | None = setting(
        None, "Names of the tools that may be called; left out, all that are registered."
    )
    timeout: float = setting(300.0, "Seconds for one call.")
    rounds: int = setting(100, "Times that the model may be asked in one turn.")
    errors: int = setting(5, "Calls in a row that may fail.")
    calls: int = setting(16, "Calls in one round; further calls are refused, and the model sees that.")

    def __post_init__(self) -> None:
        check_fields(self)
        # `ToolLimits` checks the numbers.
        _ = self.limits

    @property
    def limits(self) -> ToolLimits:
        """The limits in the form that `with_tools` takes."""
        return ToolLimits(timeout=self.timeout, rounds=self.rounds, errors=self.errors, calls=self.calls)
