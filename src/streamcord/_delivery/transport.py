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
    """Whom a message may notify: these people, or all whom it names; never everyone or here."""

    users: bool | tuple[int, ...] = ()
    roles: bool = False
    replied_user: bool = False


NOBODY = Pings()


@dataclass(frozen=True, slots=True)
class Parcel:
    """One message, the key that is the same at every attempt and never for another body, whom it may ping."""

    message: Message
    key: str
    pings: Pings = NOBODY
    previews: bool = True
    """Whether links show a preview."""


def seal(turn: str, part: int, message: Message, pings: Pings = NOBODY, *, previews: bool = True) -> Parcel:
    """The parcel of a part of a turn: another body is another key, or Discord would take it for a repeat.

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
class ReliableTransport(Protocol):
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

    def lock(self) -> AbstractAsyncContextManager[object]:
        """Held while one message is delivered, so that no other overtakes it."""
        ...
