"""Stage 7, the way out: what a transport is.

A transport is anything that can put a message somewhere people see it: a Discord channel, a webhook,
a terminal, a fake. It raises `DeliveryError` and nothing else.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from .._events import Message, Receipt
from .parcel import Parcel

__all__ = ["Carrier", "Clocked", "Parcel", "Transport"]


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


@runtime_checkable
class Carrier(Protocol):
    """A transport that can be asked again, and knows when it would be refused.

    A courier sends through `deliver` where a transport has it; `send` is for everybody else.
    """

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Put its message there; the same parcel again is the same message, or `Uncertain` is raised."""
        ...

    async def find(self, parcel: Parcel) -> Receipt | None:
        """Look whether it has arrived; raises `Uncertain` if nobody can tell."""
        ...

    def pause(self, message: Message) -> float:
        """Seconds until one more message of its speaker is welcome; 0 is now."""
        ...

    def lane(self) -> AbstractAsyncContextManager[object]:
        """Held while one message is delivered, so that no other overtakes it."""
        ...
