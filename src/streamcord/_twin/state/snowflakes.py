"""Discord's ids: milliseconds since 2015 in the high bits, a counter in the low 22.

Real snowflakes of one millisecond are not ordered between workers
(https://github.com/qeled/discordie/issues/29); the twin has one worker, so its ids are strictly increasing.

A nonce is the id that an author gives to a message. With `enforce_nonce` it is Discord's only key against
doubles, for bot messages only (https://github.com/discord/discord-api-docs/issues/6647).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord._shared.bounded_cache import BoundedCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from .model import Message

__all__ = ["DISCORD_EPOCH", "Nonces", "Snowflakes", "snowflake_time"]

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


class Nonces:
    """Remembers messages by author and nonce, also those that were deleted since."""

    def __init__(self, kept: int = 100_000) -> None:
        self._kept = kept
        self.forget()

    def remember(self, message: Message, now: float) -> None:
        """Keep a message that was made with a nonce."""
        if message.draft.nonce is None:
            return
        self._seen.keep((message.author.id, str(message.draft.nonce)), (message, now))

    def find(self, author_id: int, nonce: str | int, since: float) -> Message | None:
        """The message that this author made with this nonce after `since`."""
        message, at = self._seen.find((author_id, str(nonce))) or (None, 0.0)
        return message if at > since else None

    def forget(self) -> None:
        """As if the window had passed for all."""
        self._seen: BoundedCache[tuple[int, str], tuple[Message, float]] = BoundedCache(self._kept)
