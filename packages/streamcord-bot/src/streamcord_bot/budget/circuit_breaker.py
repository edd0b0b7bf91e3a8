"""Leaves a model alone for a while once it failed several times in a row. Time is handed in."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Breaker"]


@dataclass(slots=True)
class Breaker:
    """One for each model: `errors` failures in a row open it for `pause` seconds.

    Then one request is let through to see; the others wait until it has ended well.
    """

    errors: int
    pause: float
    _failed: int = 0
    _until: float = field(default=0.0)

    def is_open(self, now: float) -> bool:
        """Whether the model is left alone at this moment."""
        return now < self._until

    def ask(self, now: float) -> float:
        """May it be asked? 0 if so, else until when it is left alone; whoever may ask after a pause tries."""
        if now < self._until:
            return self._until
        if 0 < self.errors <= self._failed:
            self._until = now + self.pause
        return 0.0

    def note_success(self) -> None:
        """It has answered."""
        self._failed, self._until = 0, 0.0

    def note_failure(self, now: float) -> bool:
        """It has failed; true if that has opened the breaker."""
        self._failed += 1
        if not 0 < self.errors <= self._failed:
            return False
        self._until = now + self.pause
        return self._failed == self.errors
