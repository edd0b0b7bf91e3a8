"""Discord's ids: milliseconds since 2015 in the high bits, a counter in the low 22.

Real snowflakes of one millisecond are not ordered between workers
(https://github.com/qeled/discordie/issues/29); the twin has one worker, so its ids are strictly increasing.

A nonce is the id that an author gives to a message. With `enforce_nonce` it is Discord's only key against
doubles, for bot messages only (https://github.com/discord/discord-api-docs/issues/6647).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Message

DISCORD_EPOCH_S = 1_420_070_400.0
"""2015-01-01T00:00:00Z in seconds."""


def snowflake_time(snowflake: int) -> float:
    """Return seconds since 1970 at which an id was made."""
    return (snowflake >> 22) / 1000 + DISCORD_EPOCH_S


class Snowflakes:
    """Makes ids; each is greater than all before it, even if the clock stops."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._last = 0

    def make(self) -> int:
        """Return the next id."""
        stamped = int((self._now() - DISCORD_EPOCH_S) * 1000) << 22
        self._last = max(stamped, self._last + 1)
        return self._last


class Nonces:
    """Messages by author and nonce, including deleted ones; the oldest are dropped above `max_entries`."""

    def __init__(self, max_entries: int = 100_000) -> None:
        self._max_entries = max_entries
        # (author id, nonce) -> message and the time at which it was created, oldest first
        self._seen: dict[tuple[int, str], tuple[Message, float]] = {}

    def remember(self, message: Message, now: float) -> None:
        """Keep a message that was made with a nonce."""
        if message.draft.nonce is None:
            return
        key = (message.author.id, str(message.draft.nonce))
        self._seen.pop(key, None)  # a nonce that is used again becomes the newest
        self._seen[key] = (message, now)
        if len(self._seen) > self._max_entries:
            del self._seen[next(iter(self._seen))]

    def find(self, author_id: int, nonce: str | int, since: float) -> Message | None:
        """Return the message that this author created with this nonce after `since`."""
        message, at = self._seen.get((author_id, str(nonce)), (None, 0.0))
        return message if at > since else None

    def forget(self) -> None:
        """Forget all nonces, as if the window had passed."""
        self._seen.clear()
