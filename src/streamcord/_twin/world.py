"""The parts of one twin, tied together for those who serve it."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from .faults import Faults
from .log import Log
from .rest.rate_limits import Limiter
from .state import State
from .state.model import SYSTEM_TYPES, MessageFlag
from .switches import Switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .gateway import Gateway
    from .log import Record
    from .state import Event
    from .state.model import Channel, Message

__all__ = ["Mailbox", "World"]


@dataclass(slots=True, eq=False)
class World:
    """State, time, limits, faults and log of one twin; `switches` may be replaced while it runs."""

    clock: Clock
    switches: Switches = field(default_factory=Switches)
    seed: int = 0
    on_change: Callable[[], None] = lambda: None
    """Called when a request came in, or a gateway client connected, spoke or went."""
    on_answer: Callable[[Record], None] = lambda _: None
    """Called when a request to the API has been answered, or cut off."""
    go_dark: Callable[[float], None] = lambda _: None
    """Called to refuse connections for so many seconds."""
    faults: Faults = field(default_factory=Faults)
    log: Log = field(default_factory=Log)
    state: State = field(init=False)
    limits: Limiter = field(init=False)
    rng: random.Random = field(init=False)
    gateway: Gateway = field(init=False)

    def __post_init__(self) -> None:
        self.state = State(self.clock.now)
        self.limits = Limiter(self.clock, lambda: self.switches)
        self.rng = random.Random(self.seed)

    def chance(self, probability: float) -> bool:
        """Draw from the twin's own seed."""
        # A probability of 0 draws nothing, so that a switch that is off does not shift the draws of others.
        return probability > 0 and self.rng.random() < probability


_Found = TypeVar("_Found")
_KEPT = 10_000


class Mailbox:
    """Messages of bots and webhooks that nobody has taken yet, per channel."""

    def __init__(self) -> None:
        self._unread: defaultdict[int, deque[Message]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self._loading: set[int] = set()
        self._bell = asyncio.Event()

    def tell(self, event: Event) -> None:
        """See an event of the state."""
        message = event.message
        if message is not None and message.by_machine and message.type not in SYSTEM_TYPES:
            is_loading = bool(message.draft.flags & MessageFlag.LOADING)
            if event.name == "MESSAGE_CREATE" and is_loading:
                self._loading.add(message.id)
            elif event.name == "MESSAGE_CREATE" or (message.id in self._loading and not is_loading):
                self._loading.discard(message.id)
                self._unread[message.channel_id].append(message)
        self.ring()

    def ring(self) -> None:
        """Wake everybody who waits, to look again."""
        self._bell.set()
        self._bell = asyncio.Event()

    async def next_message(self, channel: Channel, within: float) -> Message:
        """The oldest message that was not taken yet."""
        unread = self._unread[channel.id]
        await self.until(lambda: unread or None, within, f"a message in #{channel.name or channel.id}")
        return unread.popleft()

    async def until(self, look: Callable[[], _Found | None], within: float, what: str = "it") -> _Found:
        """Wait until `look` finds something; it looks again after every event and every request."""
        end = asyncio.get_running_loop().time() + within
        while True:
            bell = self._bell
            found = look()
            if found:
                return found
            try:
                # wait_for of Python 3.11 forgets a cancellation that comes together with the bell.
                async with asyncio.timeout_at(end):
                    await bell.wait()
            except TimeoutError:
                raise TimeoutError(f"waited {within} s for {what}") from None
