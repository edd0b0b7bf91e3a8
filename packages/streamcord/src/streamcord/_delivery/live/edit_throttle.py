"""How often a live message is edited.

Discord limits edits per channel, so the live messages of a channel share them. A message that has more text than
people can have read by now is edited less often.
"""

from __future__ import annotations

from collections.abc import Callable

EDIT_INTERVAL_S = 1.25
"""Seconds between two edits of one message if it is the only live message in its channel."""
MAX_EDIT_INTERVAL_S = 1 / 0.3
"""If edits would be rarer than this, only complete messages are sent."""
MAX_BACKLOG_INTERVAL_S = 1.75
"""Unread text makes edits no rarer than this: two seconds without a change look like a hanging bot."""
BACKLOG_DECAY_S = 8.0
"""Seconds of unread text at which the interval between edits doubles."""
READING_CHARS_PER_S = 25.0
"""Assumed reading speed, to estimate the unread text."""


class EditThrottle:
    """Decide how long to wait between two edits of one answer."""

    def __init__(self) -> None:
        self.streams: Callable[[], int] = lambda: 1
        """Returns the number of live messages in the channel."""
        # Time of the answer's first message; `None` before it.
        self._began: float | None = None
        # Characters of the answer's complete messages.
        self._complete_chars = 0

    def begin(self, now: float) -> None:
        """Record that a message was created."""
        self._began = now if self._began is None else self._began

    def complete(self, length: int) -> None:
        """Record that a message of `length` characters is complete."""
        self._complete_chars += length

    @property
    def is_too_slow(self) -> bool:
        """Whether the channel has too many live messages, so that complete messages are better."""
        return self._gap > MAX_EDIT_INTERVAL_S

    @property
    def _gap(self) -> float:
        return EDIT_INTERVAL_S * self.streams()

    def interval(self, now: float, shown: int) -> float:
        """Return the seconds between two edits, with `shown` characters of the message visible."""
        age = now - (self._began or now)
        unread = min(age, (self._complete_chars + shown) / READING_CHARS_PER_S - age)
        slowed = self._gap * (1 + max(0.0, unread) / BACKLOG_DECAY_S)
        return max(self._gap, min(slowed, MAX_BACKLOG_INTERVAL_S))
