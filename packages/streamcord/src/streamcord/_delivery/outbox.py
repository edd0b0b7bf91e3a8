"""The queue of planned messages that wait to be sent.

It bounds memory: once it holds `cap` characters, the task that reads the model's answer has to wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from itertools import islice
from typing import Any

from .._events import Message


class Outbox:
    """A queue of messages; a message stays at its head until it has been delivered."""

    def __init__(self, cap: int) -> None:
        # Characters from which on the queue is full.
        self._cap = cap
        # Characters of all waiting messages.
        self._length = 0
        # Messages that wait, oldest first. The first may be in flight.
        self._waiting: deque[Message] = deque()
        # For each waiting message: how many planned messages it completes. A message that was split
        # is completed by its last piece, so the other pieces have 0; merged messages have more than 1.
        self._counts: deque[int] = deque()
        self.left = 0
        """Planned messages that have left the queue, delivered or not."""
        self.clock: Callable[[], float] = lambda: 0.0
        """Tells the time when a message is put; the sender sets its own clock."""
        self.last_put_at = 0.0
        """When the newest message was put."""
        # Whether `close` was called.
        self._closed = False
        self.full = False
        """Whether the reader must wait."""
        # Set when there is something to do for the sender.
        self._filled = asyncio.Event()
        # Set while the queue is not full.
        self._has_space = asyncio.Event()
        self._has_space.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def delay(self) -> float:
        """The typing delays of all waiting messages together, in seconds."""
        return sum(message.delay for message in self._waiting)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def put(self, message: Message) -> None:
        """Add a message at the end."""
        self._waiting.append(message)
        self._counts.append(1)
        self.last_put_at = self.clock()
        self._weigh(len(message.content))
        self._filled.set()

    def close(self) -> None:
        """Announce that no more messages will be put."""
        self._closed = True
        self._filled.set()

    def take_all(self, *, but_first: bool = False) -> list[Message]:
        """Remove and return all messages; `but_first` keeps the first, because it may be in flight."""
        kept = [self._waiting.popleft()] if but_first and self._waiting else []
        taken = list(self._waiting)
        self._waiting = deque(kept)
        self._counts = deque([self._counts[0]] if kept else [])
        self._weigh(-sum(len(message.content) for message in taken))
        return taken

    def done(self) -> None:
        """Remove the first message after it was delivered or given up."""
        self._weigh(-len(self._waiting.popleft().content))
        self.left += self._counts.popleft()

    def replace_first(self, messages: Iterable[Message], count: int = 1) -> None:
        """Replace the first message, or the first `count`, by these."""
        left = self.left
        for _ in range(count):
            self.done()
        replaced, self.left = self.left - left, left
        given = list(messages)
        if not given:
            self.left += replaced
        for message in reversed(given):
            self._waiting.appendleft(message)
            self._counts.appendleft(replaced)
            replaced = 0
            self._weigh(len(message.content))

    def unmerge_first(self, messages: Sequence[Message]) -> None:
        """Undo a merge: replace the first message by the planned messages that it was made of."""
        self._weigh(sum(len(message.content) for message in messages) - len(self._waiting.popleft().content))
        count = self._counts.popleft()
        self._waiting.extendleft(reversed(messages))
        self._counts.extendleft([*[1] * (len(messages) - 1), count - len(messages) + 1])

    def progress(self) -> tuple[int, tuple[Message, ...]]:
        """How many planned messages are done with the first one, but for these other pieces of the last."""
        last = next((number for number, count in enumerate(self._counts) if count), len(self._counts))
        until = self.left + sum(islice(self._counts, last, last + 1))
        return until, tuple(islice(self._waiting, 1, last + 1))

    def skip(self, count: int, pieces: Sequence[Message] = ()) -> None:
        """Continue after a crash: this many planned messages were sent, except for these pieces."""
        for _ in range(min(count, len(self._waiting))):
            self.done()
        for message in reversed(pieces):
            self._waiting.appendleft(message)
            self._counts.appendleft(0)
            self._weigh(len(message.content))

    @property
    def waiting(self) -> tuple[Message, ...]:
        """All messages that wait, in order."""
        return tuple(self._waiting)

    def find_first(self) -> Message | None:
        """The next message, or `None`."""
        return self._waiting[0] if self._waiting else None

    async def wait_for_space(self) -> None:
        """Wait until more messages may be put."""
        await self._has_space.wait()

    def notify_waiters(self) -> None:
        """Notify waiting tasks although no message was put: the draft of the live message has changed."""
        self._filled.set()

    def wait_for_any_news(self) -> Coroutine[Any, Any, object]:
        """Wait for the next `put`, `close` or `notify_waiters`; earlier ones do not count."""
        self._filled.clear()
        return self._filled.wait()

    async def wait_for_news(self) -> None:
        """Wait until there is a message or the outbox is closed."""
        while not (self._waiting or self._closed):
            self._filled.clear()
            await self._filled.wait()

    def _weigh(self, change: int) -> None:
        self._length += change
        full = self._length >= self._cap
        if full is not self.full:
            self.full = full
            self._has_space.clear() if full else self._has_space.set()
