"""What a transport is, and the parcel in which it is handed a message.

A transport is anything that can put a message somewhere people see it: a Discord channel, a webhook,
a terminal, a fake. It raises `DeliveryError` and nothing else.
"""

from __future__ import annotations

import hashlib
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .._events import Attachment, Message, Receipt

__all__ = ["NOBODY", "Clocked", "Parcel", "Pings", "ReliableTransport", "Transport", "seal"]

KEY_LENGTH = 25
"""What Discord takes as a nonce, at most."""


@dataclass(frozen=True, slots=True)
class Pings:
    """Whom a message may notify; never @everyone or @here.

    `users` are the ids of those people, or `True` for everybody whom the message mentions.
    """

    users: bool | tuple[int, ...] = ()
    roles: bool = False
    replied_user: bool = False


NOBODY = Pings()


@dataclass(frozen=True, slots=True)
class Parcel:
    """A message with a key that stays the same at every attempt, and whom the message may notify."""

    message: Message
    key: str
    pings: Pings = NOBODY
    previews: bool = True
    """Whether links show a preview."""


def seal(turn: str, part: int, message: Message, pings: Pings = NOBODY, *, previews: bool = True) -> Parcel:
    """Make the parcel of one message; its key follows from the turn, the part and the contents.

    The reply is no part of the body: sent again without it, a message that had arrived is still found.
    """
    digest = hashlib.blake2b(f"{turn}\0{part}\0{message.content}".encode("utf-8", "surrogatepass"))
    if message.speaker is not None:
        digest.update(f"\0{message.speaker.name}".encode("utf-8", "surrogatepass"))
    for file in message.files:
        digest.update(file.name.encode("utf-8", "surrogatepass"))
        digest.update(file.content if isinstance(file, Attachment) else file.source.encode())
    return Parcel(message, digest.hexdigest()[:KEY_LENGTH], pings, previews)


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
