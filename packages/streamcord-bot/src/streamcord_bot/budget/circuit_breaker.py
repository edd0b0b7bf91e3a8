"""Pause requests to a model that failed several times in a row.

The usual circuit breaker (https://martinfowler.com/bliki/CircuitBreaker.html): closed while requests succeed, open for
a pause after too many failures, then half-open: one trial request decides. Pure: the caller passes the time.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class CircuitBreaker:
    """The circuit breaker of one model.

    After `errors` failures in a row it is open for `pause` seconds. Then one request is let through; the others stay
    blocked until it succeeds or another pause has passed. With `errors` 0 it never opens.
    """

    errors: int
    pause: float
    # Failures since the last success.
    _failed: int = 0
    # Requests that the provider refused, since the last success. They do not open the breaker.
    _rejected: int = 0
    # Requests are blocked before this time.
    _until: float = field(default=0.0)

    def is_open(self, now: float) -> bool:
        """Return whether requests are blocked."""
        return now < self._until

    @property
    def is_failing(self) -> bool:
        """Whether enough of the last requests failed or were refused, without a success, that someone must look."""
        return 0 < self.errors <= max(self._failed, self._rejected)

    def acquire(self, now: float) -> float:
        """Return 0 if a request may be made, else the time until which the model is paused."""
        if now < self._until:
            return self._until
        # Half-open: this request is the trial, so block the others for another pause.
        if 0 < self.errors <= self._failed:
            self._until = now + self.pause
        return 0.0

    def record_success(self) -> None:
        """Close the breaker."""
        self._failed = 0
        self._rejected = 0
        self._until = 0.0

    def record_rejection(self) -> None:
        """Count a request that the provider refused, such as for a wrong key or an empty account."""
        self._rejected += 1

    def record_failure(self, now: float) -> bool:
        """Count a failure and return whether it opened the breaker."""
        self._failed += 1
        if not 0 < self.errors <= self._failed:
            return False
        self._until = now + self.pause
        # A failed trial keeps the breaker open; only the first opening is reported.
        return self._failed == self.errors
