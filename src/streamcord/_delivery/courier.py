"""Takes what waits in the outbox to a transport, one message at a time, at a human pace and at Discord's.

A delay is counted from the message before, so the time that the model took is credit. Where Discord takes
fewer messages than were planned, those that are overdue are joined. Every wait ends at once when somebody is
in a hurry.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Protocol

from .._errors import DeliveryError, Moderated
from .._events import Message, Receipt
from .._settings import Delivering
from . import Transport
from .outbox import Outbox, Pace, Rate
from .retries import Lost, Outcome, Resplit, RetryingSender, call_async

__all__ = ["BLOCKED_NOTICE", "Courier", "DeliveryJournal", "DeliveryLog", "MessageTools", "TypingIndicator"]

REFRESH = 8.0
"""Discord shows typing for ten seconds; asking more often than this is of no use."""
SLOW = 3.0
"""A message that takes longer than this to arrive was held up, and those behind it are late."""
TICK = 0.001
SLACK = 0.25
"""Less than this is nobody's delay: it is what our own work takes, and nothing is joined for it."""
PATIENCE = 0.5
"""A model that takes longer than this for its first words is shown as typing."""
WORTH = 3.0
"""Behind a message a shorter wait than this needs no sign: people are still reading."""

BLOCKED_NOTICE = "-# A part of this answer was held back by a filter."


class DeliveryLog(Protocol):
    """Is told what became of each message."""

    def note_sent(self, receipt: Receipt) -> None:
        """A message was delivered."""
        ...

    def note_lost(self, message: Message, reason: str) -> None:
        """A message was not delivered, or nobody can tell whether it was."""
        ...


class DeliveryJournal(Protocol):
    """Writes down what is about to be sent, so that another process can go on; one message at a time."""

    @property
    def id(self) -> str:
        """The turn; with the number of a message it makes the key."""
        ...

    async def attempt(
        self, part: int, message: Message, until: int, rest: Sequence[Message] = (), *, grows: bool = False
    ) -> None:
        """A message is about to be sent; with it `until` planned messages are done, but for the `rest`."""
        ...

    def seal(self, part: int, receipt: Receipt, until: int, rest: Sequence[Message]) -> None:
        """A message that grew says everything, or as much as it ever will."""
        ...

    def arrive(self, receipt: Receipt) -> None:
        """It has arrived."""
        ...

    def lose(self, reason: str) -> None:
        """It will not arrive, or nobody knows."""
        ...

    def void(self) -> None:
        """It was not sent after all; others may stand in its place."""
        ...


@dataclass(frozen=True, slots=True)
class MessageTools:
    """Functions that change messages; the turn passes them in, because delivery does not import the core."""

    draw: Callable[[Message], Awaitable[list[Message]]]
    """The message with its tables drawn as pictures; several messages if its words do not fit into one."""
    resplit: Resplit
    join: Callable[[Message, Message], Message | None]
    """Two messages as one, or `None` if joining them would change what people see."""
    screen: Callable[[Message], Awaitable[str]] | None = None
    """Why a message may not be sent; empty if it may."""


class Courier:
    """Sends the messages of an outbox through a transport, in order, and logs what became of each."""

    def __init__(  # noqa: PLR0913
        self,
        transport: Transport,
        outbox: Outbox,
        pace: Pace,
        log: DeliveryLog,
        tools: MessageTools,
        settings: Delivering,
        *,
        typing: bool = True,
        journal: DeliveryJournal | None = None,
    ) -> None:
        self._posting = False
        self._journal = journal
        self._outbox = outbox
        self._pace = pace
        self._log = log
        self._tools = tools
        self._merges = settings.merge == "auto"
        self._notify = settings.notify
        self._rang = False
        self._stops_blocked = settings.blocked == "stop"
        self._sender = RetryingSender(
            transport, pace, settings, tools.resplit, journal.id if journal else None
        )
        self._reliable = self._sender.reliable
        self._typing = typing
        self._indicator = TypingIndicator(transport, pace, on=typing)
        self._free = asyncio.Event()
        self._free.set()
        self._last: float | None = None
        self._late = 0.0
        self._seen = 0.0

    @property
    def in_flight(self) -> bool:
        """Whether the first message of the outbox is on its way."""
        return self._posting

    @property
    def pieces(self) -> int:
        """Of how many pieces the message is made that people see grow; 0 if none does."""
        return 0

    def hurry(self, patience: float | None = None) -> None:
        """Stop waiting between messages and stop showing that somebody types; see `Pace.hurry`."""
        self._pace.hurry(patience)

    def go_on(self, part: int, growing: Receipt | None = None) -> None:  # noqa: ARG002 - see LiveCourier
        """Go on where another process was: the next message has this number, and this one was growing."""
        self._sender.parts = part

    def hold(self) -> None:
        """Start no further message until `release`."""
        self._free.clear()

    def release(self) -> None:
        """Go on after `hold`."""
        self._free.set()

    async def run(self) -> None:
        """Send until the outbox is closed and empty."""
        try:
            while await self._wait_for_message():
                message = self._outbox.find_first()
                if message is not None:
                    await self._take(message)
        finally:
            await self._indicator.rest()

    async def _take(self, message: Message) -> None:
        """Send the first message when its time has come."""
        due = await self._wait_for_turn(message)
        if self._notify == "last":
            await self._wait_for_follower()
            due = self._pace.now()
        await self._free.wait()
        # It may have been taken out while we waited.
        if self._outbox.find_first() is message:
            await self._indicator.rest()
            await self._send(message, due)

    # --- Waiting --------------------------------------------------------------------------------

    async def _wait_for_message(self) -> bool:
        """Whether there is a message; while the model is slow, people see that somebody is typing."""
        patience = PATIENCE if self._last is None else WORTH
        if self._outbox.find_first() is None:
            # The model is slower than Discord: nothing is overdue.
            self._late = 0.0
        while not (self._outbox.find_first() or self._outbox.closed):
            if not self._typing or self._pace.hurried:
                await self._outbox.wait_for_news()
                break
            try:
                async with asyncio.timeout(patience):
                    await self._outbox.wait_for_news()
            except TimeoutError:
                await self._indicator.show()
                patience = REFRESH
        return self._outbox.find_first() is not None

    async def _wait_for_turn(self, message: Message) -> float:
        """Wait for the planned delay, then for the rate limit; when it was due without that limit."""
        self._seen = self._pace.now()
        planned = (self._seen if self._last is None else self._last) - self._late + message.delay
        if message.delay > 0:
            await self._wait_as_if_typing(planned)
        due = min(planned, self._pace.now()) if self._late else self._pace.now()
        while not self._pace.hurried and (pause := self._pause(message)):
            # Never a wait of nothing, whatever a transport says: this loop must let others run.
            await self._wait_as_if_typing(self._pace.now() + max(pause, TICK))
        return due

    def _pause(self, message: Message) -> float:
        return self._reliable.pause(message) if self._reliable else 0.0

    async def _wait_as_if_typing(self, due: float) -> None:
        worth = self._last is None or self._left(due) >= (WORTH if self._indicator.is_fresh else REFRESH)
        while not self._pace.hurried and self._left(due):
            if worth:
                await self._indicator.show()
            # Counted anew, since what the indicator took is part of the wait.
            await self._pace.wait(min(self._left(due), REFRESH))

    def _left(self, due: float) -> float:
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(due - self._pace.now(), 6))

    # --- Sending --------------------------------------------------------------------------------

    async def _send(self, message: Message, due: float) -> None:
        drawable = message.files or message.content.endswith("```")
        pieces = await self._tools.draw(message) if drawable else [message]
        if self._outbox.find_first() is not message:
            return
        if len(pieces) > 1:
            self._outbox.replace_first(pieces)
        else:
            async with self._alone(message):
                await self._send_alone(message, pieces[0], due)

    async def _send_alone(self, message: Message, drawn: Message, due: float) -> None:
        """Send a message, as it is or drawn, while nobody else sends here."""
        if self._outbox.find_first() is not message or not self._free.is_set():
            return
        # What was drawn stays a picture, however late it is.
        merged, due = self._merge(message, due) if drawn is message else (message, due)
        if self._journal is not None and not await self._write_down(self._journal, merged):
            return
        began = self._pace.now()
        outcome = await self._post(drawn if merged is message else merged, last=self._is_last)
        self._last = self._pace.now()
        self._late = max(0.0, began - due) + max(0.0, self._last - began - SLOW)
        waited = round(began - self._seen, 3)
        if waited and isinstance(outcome, Receipt) and not outcome.waited:
            outcome = replace(outcome, waited=waited)
        # A notice may follow, and nobody else's words between the two.
        await self._note(merged, outcome, merged=merged is not message)

    async def _write_down(self, journal: DeliveryJournal, message: Message) -> bool:
        """Note what is about to be sent; says whether it still is."""
        await journal.attempt(self._sender.parts, message, *self._outbox.progress())
        # A stop may have taken it out meanwhile.
        stays = self._outbox.find_first() is message and self._free.is_set()
        if not stays:
            journal.void()
        return stays

    @property
    def _is_last(self) -> bool:
        """Whether the first message of the outbox is the last one of the answer."""
        return self._outbox.closed and len(self._outbox) == 1

    async def _post(self, message: Message, *, last: bool = False) -> Outcome:
        if (screen := self._tools.screen) and not message.notice and (reason := await screen(message)):
            return Lost("moderated", Moderated(reason) if self._stops_blocked else None)
        self._posting = True
        try:
            outcome = await self._sender.post(message, silent=self._is_silent(message), last=last)
        finally:
            self._posting = False
        self._rang = self._rang or isinstance(outcome, Receipt)
        return outcome

    def _is_silent(self, message: Message) -> bool:
        """Whether no phone rings for a message, because another one of the answer does."""
        match self._notify:
            case "first":
                return self._rang
            case "last":
                return message.notice or not (self._outbox.closed and len(self._outbox) <= 1)
            case choice:
                return choice == "none"

    async def _wait_for_follower(self) -> None:
        """Wait until it is known whether the first message is the last one."""
        while not (self._outbox.closed or len(self._outbox) > 1 or self._pace.hurried):
            await self._outbox.wait_for_any_news()

    async def _note(self, message: Message, outcome: Outcome, *, merged: bool) -> None:
        # The log keeps what was planned: the model is to remember its table, not our picture of it.
        match outcome:
            case Receipt():
                # It leaves the outbox when it has arrived; whoever sums up accounts for one that failed.
                self._outbox.done()
                receipt = outcome
                if merged or outcome.message is not message:
                    changes = (*outcome.changes, "merged") if merged else outcome.changes
                    receipt = replace(outcome, message=message, changes=changes)
                if self._journal is not None:
                    self._journal.arrive(receipt)
                self._log.note_sent(receipt)
            case Lost(reason, error):
                self._outbox.done()
                if self._journal is not None and reason != "undelivered":
                    self._journal.lose(reason)
                self._log.note_lost(message, reason)
                if reason in {"blocked", "moderated"}:
                    await self._give_notice()
                if error is not None:
                    raise error
            case pieces:
                if self._journal is not None:
                    self._journal.void()
                self._outbox.replace_first(pieces)

    async def _give_notice(self) -> None:
        outcome = await self._post(Message(BLOCKED_NOTICE, notice=True))
        if isinstance(outcome, Receipt):
            self._log.note_sent(outcome)

    def _merge(self, message: Message, due: float) -> tuple[Message, float]:
        """Join the messages behind this one that the rate limit made overdue; also when the last was due."""
        now = self._pace.now()
        # At a shutdown everything is late: few messages arrive in time where many would not.
        flushes = self._pace.hurried and self._pace.patience is None
        if not self._merges or not (flushes or now - due >= SLACK):
            return message, due
        merged, count = message, 1
        for follower in self._outbox.waiting[1:]:
            joined = self._tools.join(merged, follower) if flushes or due + follower.delay <= now else None
            # What Discord has refused as too long is not joined again.
            if joined is None or len(joined.content) > self._sender.limit:
                break
            merged, due, count = joined, due + follower.delay, count + 1
        if count > 1:
            self._outbox.replace_first([merged], count)
        return merged, due

    def _alone(self, message: Message) -> AbstractAsyncContextManager[None]:
        """Hold the lock of the channel, if it has one."""
        return self._locked(message, self._reliable.lock()) if self._reliable else nullcontext()

    @asynccontextmanager
    async def _locked(
        self, message: Message, lock: AbstractAsyncContextManager[object]
    ) -> AsyncIterator[None]:
        """Hold a lock; in a hurry, a message that was taken out does not wait for it."""
        entered = await self._pace.unless_hurried(_enter(lock))
        if not entered and self._outbox.find_first() is message:
            entered = await _enter(lock)
        try:
            yield
        finally:
            if entered:
                await lock.__aexit__(None, None, None)


async def _enter(lock: AbstractAsyncContextManager[object]) -> bool:
    await lock.__aenter__()
    return True


# --- Typing ---------------------------------------------------------------------------------------------

TYPING_TIMEOUT = 2.0
"""A call that takes longer shows nothing that is still true."""
BURST, SECONDS = 4, 1.25
"""Typing has a bucket of its own, of five calls in five seconds; one is left for others."""


SPARING = 60.0
"""Seconds between two calls while messages come: each costs a request, and people see the messages."""


class TypingIndicator:
    """Shows that somebody types during a wait; never delays a message, and one call runs at a time."""

    def __init__(self, transport: Transport, pace: Pace, *, on: bool = True) -> None:
        self._transport = transport
        self._pace = pace
        self._on = on
        self._rate = Rate(BURST, SECONDS)
        self._call: asyncio.Task[None] | None = None
        self._shown = -SPARING

    @property
    def is_fresh(self) -> bool:
        """Whether people were not shown it lately."""
        return self._pace.now() - self._shown >= SPARING

    async def show(self) -> None:
        """Start a call of `typing`, unless one runs or is of no use, and return at once."""
        now = self._pace.now()
        if not self._on or self._pace.hurried or self._call is not None or self._rate.pause(now):
            return
        self._rate.take(now)
        self._shown = now
        self._call = asyncio.create_task(self._ask())
        # It has begun before we go on: a channel without latency is done by then.
        await asyncio.sleep(0)

    async def rest(self) -> None:
        """Cancel a call that still runs, since a message follows or the turn is over."""
        if self._call is not None:
            self._call.cancel()
            await asyncio.gather(self._call, return_exceptions=True)

    async def _ask(self) -> None:
        try:
            with suppress(DeliveryError, TimeoutError):
                async with asyncio.timeout(TYPING_TIMEOUT):
                    await call_async(self._transport.typing)
        finally:
            self._call = None
