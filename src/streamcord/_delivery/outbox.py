"""Messages on their way out, first in, first out; full once they hold so much that the reader must wait."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

from .._events import Message

__all__ = ["Outbox"]


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
