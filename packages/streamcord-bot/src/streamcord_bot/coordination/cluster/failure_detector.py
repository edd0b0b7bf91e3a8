"""Find the members of a cluster that no longer send heartbeats and must be evicted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .shard_plan import MemberRow

EVICTION_FACTOR = 1.25
"""A member is dead after this many lease times without a heartbeat; its clock may run a little slower than ours."""


@dataclass(slots=True)
class FailureDetector:
    """Finds members whose heartbeat counter has not moved for `seconds` by our own clock.

    If we could not read the table for a while, because the database was away, other members could not write it
    either. Then all observations are discarded and start over.
    """

    seconds: float
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)
    _last_check: float = float("-inf")

    def find_silent(self, members: Iterable[MemberRow], now: float) -> list[str]:
        """Record the counters that are visible now and return the names of dead members."""
        # We were cut off ourselves: old observations prove nothing.
        if now - self._last_check > self.seconds / 2:
            self._seen.clear()
        self._last_check = now
        before, self._seen = self._seen, {}
        for member in members:
            # The clock of a member starts when its counter is first seen, and again whenever the counter moves.
            heartbeats, since = before.get(member.name, (member.heartbeats, now))
            self._seen[member.name] = (member.heartbeats, since if heartbeats == member.heartbeats else now)
        return [name for name, (_, since) in self._seen.items() if now - since > self.seconds]
