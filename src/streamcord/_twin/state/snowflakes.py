"""Discord's ids: milliseconds since 2015 in the high bits, a counter in the low 22.

Real snowflakes of one millisecond are not ordered between workers
(https://github.com/qeled/discordie/issues/29); the twin has one worker, so its ids are strictly increasing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DISCORD_EPOCH", "Snowflakes", "snowflake_time"]

DISCORD_EPOCH = 1_420_070_400.0
"""2015-01-01T00:00:00Z in seconds."""


def snowflake_time(snowflake: int) -> float:
    """Seconds since 1970 at which an id was made."""
    return (snowflake >> 22) / 1000 + DISCORD_EPOCH


class Snowflakes:
    """Makes ids; each is greater than all before it, even if the clock stands still."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._last = 0

    def make(self) -> int:
        """The next id."""
        stamped = int((self._now() - DISCORD_EPOCH) * 1000) << 22
        self._last = max(stamped, self._last + 1)
        return self._last
