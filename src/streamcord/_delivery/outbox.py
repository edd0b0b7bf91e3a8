"""Messages on their way out: the parcel in which one is sent, and the queue of those that wait.

The queue is full once it holds so much text that the reader of the model's answer must wait.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from .._events import Attachment, Message

__all__ = ["NOBODY", "Outbox", "Parcel", "Pings", "seal"]


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


class Outbox:
    """A queue of messages; one leaves when it was delivered, not when it is looked at."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._length = 0
        self._waiting: deque[Message] = deque()
        self._closed = False
        self._filled = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether the reader must wait."""
        return not self._roomy.is_set()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def put(self, message: Message) -> None:
        """Add a message at the end."""
        self._waiting.append(message)
        self._weigh(len(message.content))
        self._filled.set()

    def close(self) -> None:
        """Nothing more will be put."""
        self._closed = True
        self._filled.set()

    def take_all(self, *, but_first: bool = False) -> list[Message]:
        """Take out all messages that wait; with `but_first` the first stays, since it may be in flight."""
        kept = [self._waiting.popleft()] if but_first and self._waiting else []
        taken = list(self._waiting)
        self._waiting = deque(kept)
        self._weigh(-sum(len(message.content) for message in taken))
        return taken

    def done(self) -> None:
        """Remove the first message: it was delivered."""
        self._weigh(-len(self._waiting.popleft().content))

    def replace_first(self, messages: Iterable[Message], count: int = 1) -> None:
        """Replace the first message, or the first `count`, by these."""
        for _ in range(count):
            self.done()
        for message in reversed(list(messages)):
            self._waiting.appendleft(message)
            self._weigh(len(message.content))

    @property
    def waiting(self) -> tuple[Message, ...]:
        """All messages that wait, in order."""
        return tuple(self._waiting)

    def find_first(self) -> Message | None:
        """The next message, or `None`."""
        return self._waiting[0] if self._waiting else None

    async def wait_for_room(self) -> None:
        """Wait until there is room for more."""
        await self._roomy.wait()

    async def wait_for_news(self) -> None:
        """Wait until there is a message or the outbox is closed."""
        while not (self._waiting or self._closed):
            self._filled.clear()
            await self._filled.wait()

    def _weigh(self, change: int) -> None:
        self._length += change
        if self._length < self._cap:
            self._roomy.set()
        else:
            self._roomy.clear()
