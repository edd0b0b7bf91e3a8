"""What a transport is.

A transport is anything that can put a message somewhere people see it: a Discord channel, a webhook,
a terminal, a fake. It raises `DeliveryError` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .._events import Message, Receipt
from .outbox import NOBODY, Parcel, Pings

__all__ = [
    "AttachingTransport",
    "Clocked",
    "EditableTransport",
    "GrowingTransport",
    "Readable",
    "ReliableTransport",
    "Seen",
    "Transport",
]


class Transport(Protocol):
    """Somewhere that messages can be sent to."""

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged."""
        ...

    async def typing(self) -> None:
        """Show people for a moment that a message is being written."""
        ...


@runtime_checkable
class Clocked(Protocol):
    """A transport with a clock of its own, so that tests need not wait."""

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds on its own clock."""
        ...


@runtime_checkable
class ReliableTransport(Protocol):
    """A transport that can repeat a message without doubling it, and knows its own rate limit.

    A courier sends through `deliver` where a transport has it; `send` is for everybody else.
    """

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send the message; the same parcel again never becomes a second message, else raise `Uncertain`."""
        ...

    async def find(self, parcel: Parcel) -> Receipt | None:
        """Look whether the message arrived: its receipt or `None`; raise `Uncertain` if nobody can tell."""
        ...

    def pause(self, message: Message) -> float:
        """Seconds until the rate limit allows this message; 0 means now."""
        ...

    def lock(self) -> AbstractAsyncContextManager[object]:
        """A lock that is held while one message is sent, so that no other overtakes it."""
        ...


@dataclass(frozen=True, slots=True)
class Seen:
    """A message of ours as it was read back; `notice` if we said it besides the answer."""

    id: int
    content: str
    files: int = 0
    notice: bool = False
    url: str = ""
    name: int = 0
    """The number that it carries, by which it is known for certain; 0 is none."""
    rich: bool = False
    """Whether it is one of Components V2, and must stay so."""


@runtime_checkable
class Readable(Protocol):
    """A transport whose messages can be read back, so that another process can go on with a turn."""

    anchor: int
    """The newest message that is known in the channel."""

    async def read_back(self, after: int) -> list[Seen]:
        """Our own messages behind this one, oldest first; raises `DeliveryError` if nobody can tell."""
        ...


@runtime_checkable
class EditableTransport(Protocol):
    """A transport that can change the words of a message it has sent."""

    async def edit(self, receipt: Receipt, content: str, pings: Pings = NOBODY) -> Receipt:
        """Change the words of a message and return once that is acknowledged."""
        ...


@runtime_checkable
class GrowingTransport(Protocol):
    """A transport for messages that grow: it says what it cannot do, and how often it may be asked.

    A courier grows messages by `revise` where a transport has it; `edit` is for everybody else.
    """

    async def revise(self, receipt: Receipt, parcel: Parcel) -> Receipt:
        """Make the message say this; done twice, it is the same. Raises what Discord refuses."""
        ...

    async def read_growth(self, receipt: Receipt) -> Seen | None:
        """The message as it is now; `None` if nobody can tell."""
        ...

    def edit_pause(self, receipt: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides; 0 means now."""
        ...

    def watch_growth(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more message that grows here; gives a function that says how many there are."""
        ...

    def growth_limit(self, message: Message) -> int:
        """Characters up to which a message like this can be made to grow."""
        ...


@runtime_checkable
class AttachingTransport(Protocol):
    """A transport for messages that grow whose `revise` brings files along, in the place of those before."""

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message like this may bring files, as far as anybody knows."""
        ...
