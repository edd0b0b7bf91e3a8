"""How often a failed provider request is repeated, and after which pause."""

from __future__ import annotations

from dataclasses import dataclass

from .._exceptions import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often to retry, and how long to wait between attempts.

    Example:
        with_fallbacks(provider, retry=RetryPolicy(max_attempts=5, max_pause=20.0))

    """

    max_attempts: int = 3
    """Attempts for each pair of key and model."""
    pause: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    max_pause: float = 60.0
    """The longest pause in seconds; a candidate that asks for more is not waited for."""

    def __post_init__(self) -> None:
        for name in ("max_attempts", "pause", "max_pause"):
            if not getattr(self, name) > 0:
                raise SettingsError(name, "more than 0", getattr(self, name))
