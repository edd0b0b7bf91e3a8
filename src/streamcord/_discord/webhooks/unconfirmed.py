"""What was sent and not answered, and which messages in a channel are explained.

A doubt begins before the first byte leaves and ends with a receipt or a refusal; in between, whoever comes
with the same key looks before anything is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..._cache import Recent
from .lookback import Attempt, Sighting, find_arrived
from .webhook_cache import Hook

__all__ = ["Doubts"]

CAP = 10_000


class Doubts:
    """The open questions of a bot's webhooks; `sightings` is what the gateway showed lately."""

    def __init__(self, sightings: Callable[[], Iterable[Sighting]]) -> None:
        self._sightings = sightings
        self._open: Recent[str, Attempt] = Recent(CAP)
        self._explained: Recent[int, None] = Recent(CAP)
        self._last: Recent[int, int] = Recent(CAP)

    def begin(self, key: str, channel: Any, hook: Hook, body: str) -> Attempt | None:  # noqa: ANN401 - of many kinds
        """A message leaves; what was in doubt under this key before."""
        earlier = self._open.find(key)
        after = earlier.after if earlier else self._newest(channel, hook)
        self._open.keep(key, Attempt(hook, channel.id, after, body))
        return earlier

    def withdraw(self, key: str, earlier: Attempt | None) -> None:
        """It was certainly not taken; what was in doubt before still is."""
        if earlier is None:
            self._open.drop(key)
        else:
            self._open.keep(key, earlier)

    def resolve(self, key: str, channel_id: int, message_id: int) -> None:
        """It arrived under this id."""
        self._open.drop(key)
        self._explained.keep(message_id, None)
        self._last.keep(channel_id, max(message_id, self._last.find(channel_id) or 0))

    def find_hook(self, key: str) -> Hook | None:
        """The webhook through which something went that is in doubt."""
        attempt = self._open.find(key)
        return attempt.hook if attempt else None

    async def look(self, key: str, channel: Any) -> int | None:  # noqa: ANN401 - of many kinds
        """The id under which it arrived in a channel, or `None` if it did not; else raises `Uncertain`."""
        attempt = self._open.find(key)
        if attempt is None:
            return None
        attempt = replace(attempt, channel_id=channel.id)
        rivals = sum(self._is_rival(*other, key, attempt) for other in self._open.items())
        return await find_arrived(channel, attempt, self._explained, self._sightings(), rivals)

    def _newest(self, channel: Any, hook: Hook) -> int:  # noqa: ANN401 - of many kinds
        """The newest message that we know of; at least, a webhook and a thread are older than their posts."""
        told = getattr(channel, "last_message_id", None) or 0
        oldest = hook.id if channel.id == hook.channel_id else channel.id
        return max(told, oldest, self._last.find(channel.id) or 0)

    def _is_rival(self, other_key: str, other: Attempt, key: str, attempt: Attempt) -> bool:
        """Whether both could be the same message; not, if one of ours has arrived between them."""
        if other_key == key:
            return False
        same = (other.channel_id, other.body) == (attempt.channel_id, attempt.body)
        return same and other.after >= min(attempt.after, self._last.find(attempt.channel_id) or 0)
