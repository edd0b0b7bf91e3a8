"""Messages on their way out: the parcel in which one is sent, the queue of those that wait, and how long.

The queue is full once it holds so much text that the reader of the model's answer must wait.
A rate limit is a leaky bucket: it holds `burst` requests and lets one drain every `seconds`. Whatever window
Discord really has is learnt from its headers, which are believed over our own count.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from .._events import Attachment, Message

__all__ = [
    "NAMED",
    "NOBODY",
    "Outbox",
    "Pace",
    "Parcel",
    "Pings",
    "Rate",
    "Sleep",
    "is_same_turn",
    "name_part",
    "seal",
]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
T = TypeVar("T")

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
    silent: bool = False
    """Whether no phone rings for it."""
    view: Any = None
    """Buttons that the message is made with, as the library behind the transport knows them."""
    last: bool = False
    """Whether the answer ends with it, as far as anybody knows."""
    card: bool = False
    """Whether it may be a message of Components V2 from the beginning; its push then has no words."""
    below: Any = None
    """Buttons that stand below the picture of a card, as `view`."""
    name: int = 0
    """A number that the message carries as a card, so that it is known again; 0 is none."""


NAMED = 1 << 30
"""Numbers from here on are names of messages; Discord itself counts components from 1."""
_PART_BITS, _TURN_BITS = 12, 18


def name_part(turn: str, part: int) -> int:
    """The name of a message: some bits of its turn, and which part of that it is."""
    digest = hashlib.blake2b(turn.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    bits = int.from_bytes(digest) >> (32 - _TURN_BITS)
    return NAMED | bits << _PART_BITS | part % (1 << _PART_BITS)


def is_same_turn(name: int, other: int) -> bool:
    """Whether two names are of one turn, as far as their bits tell."""
    return name >> _PART_BITS == other >> _PART_BITS


def seal(  # noqa: PLR0913
    turn: str,
    part: int,
    message: Message,
    pings: Pings = NOBODY,
    *,
    previews: bool = True,
    silent: bool = False,
    last: bool = False,
    card: bool = False,
    named: bool = False,
) -> Parcel:
    """Make the parcel of one message; its key follows from the turn, the part and the contents.

    The reply is no part of the body: sent again without it, a message that had arrived is still found.
    """
    digest = hashlib.blake2b(f"{turn}\0{part}\0{message.content}".encode("utf-8", "surrogatepass"))
    if message.speaker is not None:
        digest.update(f"\0{message.speaker.name}".encode("utf-8", "surrogatepass"))
    for file in message.files:
        digest.update(file.name.encode("utf-8", "surrogatepass"))
        digest.update(file.content if isinstance(file, Attachment) else file.source.encode())
    key, name = digest.hexdigest()[:KEY_LENGTH], name_part(turn, part) if named else 0
    return Parcel(message, key, pings, previews, silent, last=last, card=card or named, name=name)


class Outbox:
    """A queue of messages; one leaves when it was delivered, not when it is looked at."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._length = 0
        self._waiting: deque[Message] = deque()
        # How many planned messages each of these stands for: pieces of one count with the last.
        self._counts: deque[int] = deque()
        self.left = 0
        """How many planned messages have left, delivered or not."""
        self._closed = False
        self.full = False
        """Whether the reader must wait."""
        self._filled = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def put(self, message: Message) -> None:
        """Add a message at the end."""
        self._waiting.append(message)
        self._counts.append(1)
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
        self._counts = deque([self._counts[0]] if kept else [])
        self._weigh(-sum(len(message.content) for message in taken))
        return taken

    def done(self) -> None:
        """Remove the first message: it was delivered."""
        self._weigh(-len(self._waiting.popleft().content))
        self.left += self._counts.popleft()

    def replace_first(self, messages: Iterable[Message], count: int = 1) -> None:
        """Replace the first message, or the first `count`, by these."""
        left = self.left
        for _ in range(count):
            self.done()
        stands_for, self.left = self.left - left, left
        given = list(messages)
        if not given:
            self.left += stands_for
        for message in reversed(given):
            self._waiting.appendleft(message)
            self._counts.appendleft(stands_for)
            stands_for = 0
            self._weigh(len(message.content))

    def part_first(self, messages: Sequence[Message]) -> None:
        """Replace the first message by the planned ones of which it was joined."""
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
        """Go on where somebody else was: so many planned messages have left, but for these pieces."""
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

    async def wait_for_room(self) -> None:
        """Wait until there is room for more."""
        await self._roomy.wait()

    def nudge(self) -> None:
        """Wake whoever waits for news, although there is no message: one that grows has grown."""
        self._filled.set()

    def wait_for_any_news(self) -> Coroutine[Any, Any, object]:
        """Wait until, from this moment on, a message is put, the outbox is closed, or somebody nudges."""
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
            self._roomy.clear() if full else self._roomy.set()


# --- Time -----------------------------------------------------------------------------------------------


class Pace:
    """The clock of a turn, and waits that end at once when somebody hurries it.

    Without a clock of its own, a given sleep is the only thing that makes time pass.
    """

    def __init__(self, sleep: Sleep | None = None, clock: Callable[[], float] | None = None) -> None:
        self._sleep = sleep or asyncio.sleep
        self._clock = clock
        if sleep is None and clock is None:
            self._clock = asyncio.get_running_loop().time
        self._slept = 0.0
        self._hurry = asyncio.Event()
        self.patience: float | None = None

    def now(self) -> float:
        """The time in seconds."""
        return self._clock() if self._clock else self._slept

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds, whatever happens."""
        await self._sleep(seconds)
        self._slept += seconds

    @property
    def hurried(self) -> bool:
        """Whether `hurry` was called."""
        return self._hurry.is_set()

    def hurry(self, patience: float | None = None) -> None:
        """End all waits, now and later; a request in flight may take `patience` seconds more, if given."""
        self.patience = patience if self.patience is None else self.patience
        self._hurry.set()

    async def wait(self, seconds: float) -> None:
        """Wait for so many seconds, or until the turn is hurried."""
        if not self.hurried and seconds > 0:
            await self.unless_hurried(self.sleep(seconds))

    async def unless_hurried(self, action: Coroutine[Any, Any, T]) -> T | None:
        """Run a coroutine; it is cancelled, and `None` returned, once the turn is hurried."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_hurried(doing)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def in_time(self, action: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; once the turn is hurried it has `patience` seconds left, then `TimeoutError`."""
        doing = asyncio.ensure_future(action)
        try:
            await self._until_done_or_hurried(doing)
            if not doing.done():
                await asyncio.wait({doing}, timeout=self.patience)
            if not doing.done():
                raise TimeoutError
            return doing.result()
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def _until_done_or_hurried(self, doing: asyncio.Future[Any]) -> None:
        hurried = asyncio.ensure_future(self._hurry.wait())
        try:
            await asyncio.wait({doing, hurried}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hurried.cancel()
            await asyncio.gather(hurried, return_exceptions=True)


class Rate:
    """A rate limit as a leaky bucket, corrected by what Discord says."""

    __slots__ = ("_at", "_level", "burst", "seconds")

    def __init__(self, burst: float, seconds: float) -> None:
        self.burst = burst
        self.seconds = seconds
        self._level = 0.0
        self._at = 0.0

    def pause(self, now: float, count: int = 1) -> float:
        """Seconds until so many more requests are allowed; 0 means now."""
        over = self._settle(now) + count - self.burst
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(over * self.seconds, 6))

    def take(self, now: float) -> float:
        """Count one request; the seconds that it has to wait."""
        pause = self.pause(now)
        self._level += 1
        return pause

    def correct(self, level: float, seconds: float, now: float) -> None:
        """Set what Discord says: how many requests count now, and how long one of them counts."""
        self._level, self.seconds, self._at = level, seconds, now

    def _settle(self, now: float) -> float:
        if self.seconds > 0:
            self._level = max(0.0, self._level - (now - self._at) / self.seconds)
        self._at = now
        return self._level
