"""How often a failed provider request is repeated, and after which pause."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

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

    def allows(self, attempts: int, wait: float) -> bool:
        """Return whether a further attempt is made after `attempts`, if it has to wait `wait` seconds."""
        return attempts < self.max_attempts and wait <= self.max_pause

    def next_pause(self, attempts: int, retry_after: float | None, random: Random) -> float:
        """Return the seconds to wait after a failed attempt; what the provider asks for wins over our own pause."""
        if retry_after is not None:
            return retry_after
        # Spread by a quarter, so that many clients do not come back at the same moment.
        pause: float = self.pause * 2 ** (attempts - 1) * random.uniform(0.75, 1.25)
        return min(pause, self.max_pause)
