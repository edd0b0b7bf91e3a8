"""Stage 7, the way out: what a transport is.

A transport is anything that can put a message somewhere people see it: a Discord channel, a webhook,
a terminal, a fake. It raises `DeliveryError` and nothing else.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..events import Message, Receipt

__all__ = ["Clocked", "Transport"]


class Transport(Protocol):
    """Where messages go."""

    async def send(self, message: Message) -> Receipt:
        """Put one message there and return once it is acknowledged."""
        ...

    async def typing(self) -> None:
        """Show people for a moment that a message is being written."""
        ...


@runtime_checkable
class Clocked(Protocol):
    """A transport with a clock of its own, whose waits need not be real."""

    async def sleep(self, seconds: float) -> None:
        """Let that much of its time pass."""
        ...
