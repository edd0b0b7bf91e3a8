"""What time it is by Discord's clock: the one of this machine may be wrong, or be set while the bot runs.

How old an answer is, and what was asked while nobody listened, must not depend on it: if it is a day ahead,
everything would have waited for a day.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime

__all__ = ["DiscordClock"]

TOLD = 60.0
"""Seconds that a machine may be wrong before its operator is told."""
OFTEN = 60.0
"""Seconds in which Discord is not asked again."""

_log = logging.getLogger("streamcord.bot")


def _steady() -> float:
    """Seconds that nobody can set; those that a machine slept count where the system knows them."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)


class DiscordClock:
    """Seconds since 1970: those of this machine until Discord has said what time it is, then Discord's."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = _steady) -> None:
        self.ask: Callable[[], Awaitable[object]] | None = None
        """Asks Discord, which tells it by `set_by`."""
        self._wall = wall
        self._steady = steady
        self._began: float | None = None
        """When the steady seconds began, by Discord's clock."""
        self._set_at = 0.0

    def __call__(self) -> float:
        """What time it is."""
        return self._wall() if self._began is None else self._began + self._steady()

    def set_by(self, date: str) -> None:
        """Take the time from the header `Date` of an answer; what is none is passed over."""
        try:
            told = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError, OSError):
            return
        self._set_at = self._steady()
        self._began = told - self._set_at
        ahead = self._wall() - told
        if abs(ahead) > TOLD:
            how = f"{abs(ahead) / 60:.0f} minutes {'ahead' if ahead > 0 else 'behind'}"
            _log.warning("the clock of this machine is %s: answers go by Discord's; set it right", how)

    async def check(self) -> None:
        """Ask Discord again, if that was not done just now: a machine may have been asleep, or moved."""
        if self.ask is not None and self._steady() - self._set_at > OFTEN:
            await self.ask()
