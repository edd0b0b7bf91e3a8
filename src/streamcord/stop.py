"""How a running turn may be asked to end."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["StopMode"]


class StopMode(StrEnum):
    """How much may still be said after a stop."""

    NOW = "now"
    """A follow-up arrived: only the message already in flight."""
    AFTER_THIS = "after_this"
    """`/stop`: at most one more message, cut at its last complete clause, without delay."""
    FLUSH = "flush"
    """Shutdown: everything that was received, without delays."""
