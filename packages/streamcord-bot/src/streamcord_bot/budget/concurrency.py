"""Limit how many answers run at once, and how soon a user gets the next one.

A limit delays a question and never refuses it; questions of other users in the same channel go first.
Pure: the caller passes the time.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from ..config import BudgetConfig

MINUTE_S = 60.0
UNTIL_FREED = float("inf")
"""Returned by `begin` if only the end of another answer helps."""


@dataclass(frozen=True, slots=True)
class SlotLimits:
    """How many answers may run at once and start within a minute; 0 is no limit."""

    person: int = 0
    server: int = 0
    all: int = 0
    # Answers to one user that may start within a minute.
    per_minute: int = 0
    # Seconds between the starts of two answers to one user.
    cooldown: float = 0.0
    # Questions of one user that may wait, in all channels.
    waiting: int = 0

    @classmethod
    def of(cls, config: BudgetConfig) -> SlotLimits:
        """Return the limits that `[budget]` sets."""
        return cls(
            config.person_running,
            config.server_running,
            config.all_running,
            config.per_minute,
            config.cooldown,
            config.person_waiting,
        )


class TurnSlots:
    """Counts the answers that run; calls `on_freed` whenever a slot becomes free."""

    def __init__(self, limits: SlotLimits | None = None) -> None:
        self.limits = limits or SlotLimits()
        self.on_freed: Callable[[], object] = lambda: None
        # Running answers by user and by server. Entries with 0 are removed.
        self._people: Counter[int] = Counter()
        self._servers: Counter[int] = Counter()
        # When the last answers to a user started, the user who started last at the end.
        self._starts: dict[int, deque[float]] = {}

    @property
    def running(self) -> int:
        """The number of answers that run now."""
        return self._people.total()

    def begin(self, person: int, server: int, now: float) -> float:
        """Acquire a slot.

        Returns:
            0 if the slot was acquired, else the seconds to wait, or `UNTIL_FREED` if another answer must end first.

        """
        if self._is_full(person, server):
            return UNTIL_FREED
        wait = self._pause(person, now)
        if wait > 0:
            return wait
        self._people[person] += 1
        self._servers[server] += 1
        self._record_start(person, now)
        return 0.0

    def end(self, person: int, server: int) -> None:
        """Release a slot."""
        for counter, key in ((self._people, person), (self._servers, server)):
            counter[key] -= 1
            if counter[key] <= 0:
                del counter[key]
        self.on_freed()

    def forget_start(self, person: int) -> None:
        """Remove the last start of a user from the rate limits, since that answer did not start after all."""
        if starts := self._starts.get(person):
            starts.pop()

    def left(self, person: int, server: int, now: float) -> tuple[int, int, int, int]:
        """Return how many more answers may start: of the user, the server, all, and of the user in this minute.

        -1 means that there is no limit.
        """
        limits = self.limits
        recent = [at for at in self._starts.get(person, ()) if now - at < MINUTE_S]
        caps = (limits.person, limits.server if server else 0, limits.all, limits.per_minute)
        used = (self._people[person], self._servers[server], self.running, len(recent))
        one, two, three, four = (
            max(0, cap - count) if cap else -1 for cap, count in zip(caps, used, strict=True)
        )
        return one, two, three, four

    def _is_full(self, person: int, server: int) -> bool:
        limits = self.limits
        # Direct messages have no server whose limit could be reached.
        return (
            0 < limits.person <= self._people[person]
            or (bool(server) and 0 < limits.server <= self._servers[server])
            or 0 < limits.all <= self.running
        )

    def _pause(self, person: int, now: float) -> float:
        """Return the seconds until this user may get another answer; 0 or less means now."""
        starts = self._starts.get(person)
        if not starts:
            # The deque is empty after `forget_start`.
            return 0.0
        limits = self.limits
        wait = limits.cooldown - (now - starts[-1])
        if 0 < limits.per_minute <= len(starts):
            wait = max(wait, MINUTE_S - (now - starts[-limits.per_minute]))
        return wait

    def _record_start(self, person: int, now: float) -> None:
        limits = self.limits
        if not (limits.per_minute or limits.cooldown):
            return
        starts = self._starts.pop(person, None) or deque(maxlen=max(1, limits.per_minute))
        starts.append(now)
        # Popped and inserted again, so that the dict is ordered by the last start and expired users come first.
        self._starts[person] = starts
        age = max(MINUTE_S, limits.cooldown)
        while not (last := self._starts[oldest := next(iter(self._starts))]) or now - last[-1] > age:
            del self._starts[oldest]
