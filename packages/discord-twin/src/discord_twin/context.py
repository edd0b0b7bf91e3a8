"""The objects that all handlers of one twin share, and a mailbox for tests that wait for messages."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from .faults import Faults
from .options import TwinOptions
from .rate_limits import Limiter
from .request_log import Log
from .state.enums import SYSTEM_TYPES, MessageFlag
from .state.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .openapi import Conformance
    from .request_log import Record
    from .state.models import Channel, Message
    from .state.state import Event

__all__ = ["BotError", "Context", "Mailbox"]


class BotError(AssertionError):
    """The bot under test raised an exception that it did not handle; `__cause__` is that exception.

    Example:
        with pytest.raises(BotError, match="ZeroDivisionError"):
            await twin.next_message()

    """


class GatewayControl(Protocol):
    """The part of the gateway that routes and faults use."""

    url: str
    identifies: int
    """Identifies in the last 24 hours, counted against the budget."""

    def drop(self, code: int = 4000) -> None:
        """Close every connection with a close code."""

    def abort(self) -> None:
        """Break every connection without a close code."""

    def ask_reconnect(self) -> None:
        """Send op 7 to every client."""

    def invalidate(self, *, resumable: bool) -> None:
        """Send op 9 to every client."""


@dataclass(slots=True, eq=False)
class Context:
    """State, time, limits, faults and log of one twin; `options` may be replaced while it runs."""

    clock: Clock
    options: TwinOptions = field(default_factory=TwinOptions)
    seed: int = 0
    on_change: Callable[[], None] = lambda: None
    """Called when a request came in, or a gateway client connected, sent a frame or disconnected."""
    on_answer: Callable[[Record], None] = lambda _: None
    """Called when a request to the API has been answered, or cut off."""
    conformance: Conformance | None = None
    """Compares what is sent with Discord's own description, if a test asked for it."""
    go_offline: Callable[[float], None] = lambda _: None
    """Called to refuse connections for a number of seconds."""
    faults: Faults = field(default_factory=Faults)
    log: Log = field(default_factory=Log)
    # Built from the clock and the options in `__post_init__`; `gateway` is set by the `Twin`.
    state: State = field(init=False)
    limits: Limiter = field(init=False)
    rng: random.Random = field(init=False)
    gateway: GatewayControl = field(init=False)

    def __post_init__(self) -> None:
        self.state = State(self.clock.now)
        self.limits = Limiter(self.clock, lambda: self.options)
        self.rng = random.Random(self.seed)

    def chance(self, probability: float) -> bool:
        """Draw from the twin's own seed."""
        # A probability of 0 draws nothing, so that a switch that is off does not shift the draws of others.
        return probability > 0 and self.rng.random() < probability


_Found = TypeVar("_Found")
# A demo may run for days without a test that reads messages.
_MAX_UNREAD = 10_000
LOOK_AGAIN_S = 0.05
"""Seconds after which a condition is looked at again although nothing happened on the twin."""
SHOWN_REQUESTS = 8
"""Requests that the error of a failed wait shows."""


class Mailbox:
    """Messages of bots and webhooks that no test has taken yet, per channel."""

    def __init__(self, log: Log) -> None:
        # The requests, for the error of a wait that fails.
        self._log = log
        # Messages by channel id, oldest first.
        self._unread: defaultdict[int, deque[Message]] = defaultdict(lambda: deque(maxlen=_MAX_UNREAD))
        # Deferred answers ("is thinking..."): they count as messages once they have content.
        self._loading: set[int] = set()
        self.errors: list[BotError] = []
        """Errors of the bot under test that no wait has raised yet, oldest first."""
        # Replaced at every notification, so that each waiter sees the next one only.
        self._changed = asyncio.Event()

    def on_event(self, event: Event) -> None:
        """Store the message of an event, and notify waiting tasks."""
        message = event.message
        if message is not None and message.by_machine and message.type not in SYSTEM_TYPES:
            is_loading = bool(message.draft.flags & MessageFlag.LOADING)
            if event.name == "MESSAGE_CREATE" and is_loading:
                self._loading.add(message.id)
            elif event.name == "MESSAGE_CREATE" or (message.id in self._loading and not is_loading):
                self._loading.discard(message.id)
                self._unread[message.channel_id].append(message)
        self.notify()

    def clear(self) -> None:
        """Forget all messages and errors."""
        self._unread.clear()
        self._loading.clear()
        self.errors.clear()
        self.notify()

    def notify(self) -> None:
        """Wake all waiting tasks, which check their condition again."""
        self._changed.set()
        self._changed = asyncio.Event()

    def on_error(self, error: BaseException, where: str) -> None:
        """Record an exception that the bot did not handle, and notify waiting tasks."""
        failure = BotError(f"{where}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        self.errors.append(failure)
        self.notify()

    async def next_message(self, channel: Channel, within: float) -> Message:
        """Return the oldest message that was not taken yet."""
        unread = self._unread[channel.id]
        await self.until(lambda: unread or None, within, f"a message in #{channel.name or channel.id}")
        return unread.popleft()

    async def until(
        self, look: Callable[[], _Found | None], within: float, what: str = "the condition"
    ) -> _Found:
        """Wait until `look` finds something; it looks after every event, every request and every `LOOK_AGAIN_S`.

        The condition may be about the bot's own state, of which the twin hears nothing. An error of the bot ends
        the wait at once.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        while True:
            changed = self._changed
            found = look()
            if found:
                return found
            if self.errors:
                raise self.errors.pop(0)
            now = loop.time()
            if now >= end:
                raise TimeoutError(f"waited {within:g} s; {what} never came{self._describe_requests()}")
            # `wait_for` of Python 3.11 loses a cancellation that arrives together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(min(end, now + LOOK_AGAIN_S)):
                    await changed.wait()

    def _describe_requests(self) -> str:
        """Return the last requests, which often say why something did not happen."""
        shown = [
            f"\n  {one.method} {one.path.partition('?')[0]} -> {one.status or 'no answer'}{one.why and f': {one.why}'}"
            for one in self._log.requests[-SHOWN_REQUESTS:]
        ]
        return f". Last requests:{''.join(shown)}" if shown else ". The bot made no request"
