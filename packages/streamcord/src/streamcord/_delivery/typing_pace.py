"""Decide when a message is due: the pace of somebody who types, within Discord's rate limits.

A delay counts from the previous message, so time that the model took is subtracted from it. Delays shrink while
finished messages pile up, so that all of them are sent within `max_typing_lag` of the newest. How long it takes to
type a message is decided where it is planned (`_text/layout/typing_delay.py`).
"""

from __future__ import annotations

from .._events import Message
from .clock import DeliveryClock
from .no_pauses import has_typing_pauses
from .outbox import Outbox
from .transport import ReliableTransport
from .typing_indicator import TypingIndicator

SLOW_SEND_S = 3.0
"""A request that takes longer than this makes the following messages late."""
RATE_LIMIT_RESERVE_S = 0.75
"""Typing leaves this much of `max_typing_lag` for a rate limit that the last message may be the first to meet."""
EPSILON_S = 0.001
"""The shortest wait: a wait of zero would let no other task run."""


class TypingPace:
    """Wait before each message of an answer, and keep what the next wait depends on."""

    def __init__(
        self,
        outbox: Outbox,
        clock: DeliveryClock,
        indicator: TypingIndicator,
        reliable: ReliableTransport | None,
        max_typing_lag: float,
    ) -> None:
        self._outbox = outbox
        self._clock = clock
        self._indicator = indicator
        # The transport if it has rate limits, else `None`.
        self._reliable = reliable
        # Seconds after which typing holds no finished message back.
        self._max_typing_lag = max_typing_lag
        self.last_sent_at: float | None = None
        """Time of the last message; `None` before the first."""
        self.lateness = 0.0
        """Seconds by which the rate limit or slow requests delayed the last message."""
        self.waiting_since = 0.0
        """Time when the current message came to the head of the queue."""
        # Seconds that the last message waited for the rate limit alone; the next one will wait as long.
        self._limit_wait = 0.0

    async def wait_for_turn(self, message: Message) -> float:
        """Wait for the planned delay, then for the rate limit; return when it was due without the limit."""
        self.waiting_since = self._clock.now()
        since = self.waiting_since if self.last_sent_at is None else self.last_sent_at
        delay = self.shrink(message.delay, since)
        planned = since - self.lateness + delay
        first = self.last_sent_at is None
        if delay > 0:
            await self._indicator.wait_until(planned, first=first)
        typed_at = self._clock.now()
        due = min(planned, typed_at) if self.lateness else typed_at
        while not self._clock.expedited and (pause := self.pause(message)):
            # Never wait zero seconds, whatever the transport returns: this loop must yield.
            await self._indicator.wait_until(self._clock.now() + max(pause, EPSILON_S), first=first)
        self._limit_wait = self._clock.now() - typed_at
        return due

    def shrink(self, delay: float, since: float) -> float:
        """Return a typing delay that begins at `since`, shortened if the waiting messages would take too long.

        All of them share the time that is left until the newest one is `max_typing_lag` old, less the wait for
        the rate limit that the last of them will have. Messages that come later only add time, so the delay
        stays right while it is waited for.
        """
        if not has_typing_pauses():
            return 0.0
        total = self._outbox.delay
        reserve = RATE_LIMIT_RESERVE_S + self._limit_wait if self._reliable else 0.0
        left = max(0.0, self._outbox.last_put_at + self._max_typing_lag - reserve - since)
        return delay if total <= left else delay * left / total

    def pause(self, message: Message) -> float:
        """Return the seconds until the rate limit allows the message."""
        return self._reliable.pause(message) if self._reliable else 0.0

    def record_sent(self, began: float, due: float) -> None:
        """Record that a request that began at `began` for a message due at `due` has ended now."""
        self.last_sent_at = self._clock.now()
        self.lateness = max(0.0, began - due) + max(0.0, self.last_sent_at - began - SLOW_SEND_S)
