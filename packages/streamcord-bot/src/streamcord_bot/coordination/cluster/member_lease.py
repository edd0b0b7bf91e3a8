"""The lease of a process in its cluster: heartbeats renew it, and while it lasts no other member evicts the process.

Only a process whose lease lasts sends requests, so two members never answer the same question.
"""

from __future__ import annotations

import time
from collections.abc import Callable

HEARTBEATS_PER_LEASE = 5
"""Heartbeats in one lease time, so that a few of them may be lost."""


def boot_clock() -> float:
    """Return seconds of a clock that also runs while this process or its machine is suspended."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class MemberLease:
    """The time for which this process is safe from eviction."""

    def __init__(self, seconds: float, clock: Callable[[], float] = boot_clock) -> None:
        self.seconds = seconds
        """How long one heartbeat renews the lease for."""
        self._clock = clock
        # Until then no other member can have evicted us.
        self._valid_until = float("-inf")

    @property
    def is_valid(self) -> bool:
        """Whether the lease still lasts."""
        return self._clock() < self._valid_until

    @property
    def heartbeat_interval_s(self) -> float:
        """Seconds between two heartbeats."""
        return self.seconds / HEARTBEATS_PER_LEASE

    def renew(self, sent_at: float) -> None:
        """Renew the lease after a heartbeat that was sent, by the clock, at `sent_at`.

        It counts from when it was sent, not from when it was answered: other members saw it in between.
        """
        self._valid_until = sent_at + self.seconds

    def end(self) -> None:
        """End the lease at once."""
        self._valid_until = float("-inf")
