"""How many answers are written at once, and how soon a person gets the next one. Time is handed in.

Nobody is refused here: who has too many answers at once waits, and others in the same channel go first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from ..config.budget import BudgetConfig

__all__ = ["SlotLimits", "TurnSlots"]

MINUTE = 60.0
FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class SlotLimits:
    """What may run at once, and begin soon after each other; 0 is no limit."""

    person: int = 0
    server: int = 0
    all: int = 0
    per_minute: int = 0
    cooldown: float = 0.0
    waiting: int = 0

    @classmethod
    def of(cls, config: BudgetConfig) -> SlotLimits:
        """The limits of `[budget]`."""
        return cls(
            config.person_running,
            config.server_running,
            config.all_running,
            config.per_minute,
            config.cooldown,
            config.person_waiting,
        )


class TurnSlots:
    """Who is being answered; `freed` is called whenever a place becomes free."""

    def __init__(self, limits: SlotLimits | None = None) -> None:
        self.limits = limits or SlotLimits()
        self.freed: Callable[[], object] = lambda: None
        self._people: Counter[int] = Counter()
        self._servers: Counter[int] = Counter()
        self._begun: dict[int, deque[float]] = {}

    @property
    def running(self) -> int:
        """How many answers are being written."""
        return self._people.total()

    def begin(self, person: int, server: int, now: float) -> float:
        """Take a place and return 0; else the seconds to wait, or infinity: until a place becomes free."""
        if self._is_full(person, server):
            return FOREVER
        wait = self._pause(person, now)
        if wait > 0:
            return wait
        self._people[person] += 1
        self._servers[server] += 1
        self._note(person, now)
        return 0.0

    def end(self, person: int, server: int) -> None:
        """Give a place back."""
        for counter, key in ((self._people, person), (self._servers, server)):
            counter[key] -= 1
            if counter[key] <= 0:
                del counter[key]
        self.freed()

    def take_back(self, person: int) -> None:
        """The last answer of a person did not begin after all."""
        if begun := self._begun.get(person):
            begun.pop()

    def left(self, person: int, server: int, now: float) -> tuple[int, int, int, int]:
        """How many more of a person, a server, all, and of a person in a minute there may be; -1 is any."""
        limits = self.limits
        begun = [at for at in self._begun.get(person, ()) if now - at < MINUTE]
        most = (limits.person, limits.server if server else 0, limits.all, limits.per_minute)
        there = (self._people[person], self._servers[server], self.running, len(begun))
        one, two, three, four = (
            max(0, cap - have) if cap else -1 for cap, have in zip(most, there, strict=True)
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
        """Seconds until this person may get another answer."""
        begun = self._begun.get(person)
        if not begun:
            # Also where the last one was taken back.
            return 0.0
        limits = self.limits
        wait = limits.cooldown - (now - begun[-1])
        if 0 < limits.per_minute <= len(begun):
            wait = max(wait, MINUTE - (now - begun[-limits.per_minute]))
        return wait

    def _note(self, person: int, now: float) -> None:
        limits = self.limits
        if not (limits.per_minute or limits.cooldown):
            return
        begun = self._begun.pop(person, None) or deque(maxlen=max(1, limits.per_minute))
        begun.append(now)
        # The newest stand last, so that those of long ago are found at the beginning.
        self._begun[person] = begun
        age = max(MINUTE, limits.cooldown)
        while not (last := self._begun[oldest := next(iter(self._begun))]) or now - last[-1] > age:
            del self._begun[oldest]
