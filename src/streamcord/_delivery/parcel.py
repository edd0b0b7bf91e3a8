"""A message ready to go: the same parcel twice is one message."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from .._events import Attachment, Message

__all__ = ["NOBODY", "Parcel", "Pings", "seal"]

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
