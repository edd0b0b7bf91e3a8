"""How many messages a webhook may still post, as far as Discord lets us know.

Headers tell of 5 in 2 s per webhook; 30 in 60 s per channel shows in no header, only as a refusal while
requests are left (https://github.com/discord/discord-api-docs/issues/367). It is paced once it was met.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..request import Answer

__all__ = ["Budget", "is_ban"]

HIDDEN_COUNT, HIDDEN_SECONDS = 30, 60.0
EPISODE = 600.0
"""For so long after a hidden refusal the channel is paced."""
BAN = 60.0
"""Least pause after a page by Cloudflare: asking on makes its ban longer."""


class Budget:
    """The budget of one channel's webhook."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._free_at = 0.0
        self._posted: deque[float] = deque(maxlen=HIDDEN_COUNT)
        self._paced_until = 0.0

    def pause(self) -> float:
        """Seconds until one more message would be taken."""
        now = self._clock()
        due = self._free_at
        if now < self._paced_until and len(self._posted) == HIDDEN_COUNT:
            due = max(due, self._posted[0] + HIDDEN_SECONDS)
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(due - now, 6))

    def note(self, answer: Answer) -> None:
        """Learn from an answer to a message."""
        now = self._clock()
        if answer.status != 429:
            self._posted.append(now)
            if answer.headers.get("X-RateLimit-Remaining") == "0":
                self._wait(now, _number(answer.headers.get("X-RateLimit-Reset-After")))
            return
        banned = is_ban(answer)
        self._wait(now, max(answer.retry_after, BAN) if banned else answer.retry_after)
        if not banned and _number(answer.headers.get("X-RateLimit-Remaining")) > 0:
            self._paced_until = now + EPISODE

    def _wait(self, now: float, seconds: float) -> None:
        self._free_at = max(self._free_at, now + seconds)


def is_ban(answer: Answer) -> bool:
    """Whether Cloudflare answered, and not Discord."""
    return answer.status == 429 and ("Via" not in answer.headers or not answer.body)


def _number(header: str | None) -> float:
    """A header's number; headers that are missing or nonsense say nothing."""
    try:
        return min(max(0.0, float(header or "")), EPISODE)
    except ValueError:
        return 0.0
