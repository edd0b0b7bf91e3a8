"""What has happened to one answer of `with_fallbacks`: what was said, how it was cut off, and who is asked next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from .._events import KeepAlive, ProviderEvent, TextDelta, Usage
from .._exceptions import ProviderError, RateLimited
from .continuation import PartialAnswer
from .fallback_attempt import Attempt, Break, Candidate
from .prompt import AfterFailure
from .usage import add_usage

MAX_BREAKS = 8
"""How often one answer may break off and continue."""


@dataclass(slots=True)
class AnswerState:
    """What has happened to one answer: what was said, and how it was cut off."""

    after_failure: AfterFailure
    partial: PartialAnswer = field(default_factory=PartialAnswer)
    first_error: ProviderError | None = None
    """The error that broke it off first."""
    last_break: Break | None = None
    cut_word: str = ""
    """The word inside of which it was cut off last; it is shown if no one continues."""
    was_visible: bool = False
    """Whether the last failed attempt has shown anything."""
    reports: tuple[KeepAlive, ...] = ()
    """What is told of the last failed attempt, after its words."""
    same: Candidate | None = None
    """The candidate that was cut off last, if it is asked to continue at once."""
    # How often it was cut off, by candidate.
    _breaks: Counter[Candidate] = field(default_factory=Counter)
    # The usage of the failed attempts, and of the one that runs.
    _used_before: Usage = field(default_factory=Usage)
    _used: Usage = field(default_factory=Usage)

    def record(self, event: ProviderEvent) -> ProviderEvent:
        """Record an event and return it; usage is summed over all attempts."""
        self.partial.add(event)
        if isinstance(event, Usage):
            self._used = event
            return add_usage(self._used_before, event)
        return event

    def idle(self, seconds: float) -> float | None:
        """Return how long the answer may be silent, if it can continue after that."""
        return None if self.after_failure == "stop" else seconds

    def on_cut(self, attempt: Attempt) -> None:
        """Record the word inside of which a failed attempt was cut off, and whether it has shown anything."""
        self.was_visible = attempt.is_visible
        if attempt.is_visible or not self.partial.length:
            self.cut_word = attempt.cut_word

    def take_reports(self, *, with_word: bool = False) -> tuple[ProviderEvent, ...]:
        """Return what is still to be told of the last attempt.

        Args:
            with_word: Whether no one writes the cut word again, so that it is shown.

        """
        word = (TextDelta(self.cut_word),) if with_word and self.cut_word else ()
        told, self.reports = (*word, *self.reports), ()
        self.cut_word = "" if with_word else self.cut_word
        return told

    @property
    def can_go_on(self) -> bool:
        """Whether another attempt may follow words that were shown."""
        if self.after_failure == "stop" or self.partial.is_finished:
            return False
        return self._breaks.total() < MAX_BREAKS and not self.partial.is_too_long

    def on_failure(self, candidate: Candidate, attempt: Attempt) -> bool:
        """Record a failed attempt; return whether its candidate is asked once more at once."""
        self.same = None
        self._used_before = add_usage(self._used_before, self._used)
        self._used = Usage()
        error = attempt.error
        if attempt.was_refused and self.last_break is not None:
            self.last_break = replace(self.last_break, refusals=self.last_break.refusals + 1)
        if not attempt.is_visible or error is None:
            return False
        self.first_error = self.first_error or error
        self._breaks[candidate] += 1
        restarts = self.after_failure == "restart"
        self.last_break = Break(self.partial, error, restarts)
        if restarts:
            self.partial.clear()
        again = error.retryable and not isinstance(error, RateLimited)
        self.same = candidate if again and self._breaks[candidate] == 1 else None
        return self.same is not None
