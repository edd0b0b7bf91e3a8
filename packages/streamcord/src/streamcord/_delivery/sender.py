"""Send the messages of the outbox in order, with typing delays and within Discord's rate limits.

`typing_pace` says when a message is due. If the rate limit makes messages overdue, they are merged. All waits end at
once when the turn is expedited.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Protocol

from .._events import Message, Receipt
from .._exceptions import Moderated
from .._settings import Person, Settings
from .clock import DeliveryClock
from .outbox import Outbox
from .refusals import Resplit
from .retry import Outcome, RetryingSender, Undelivered
from .transport import Transport
from .typing_indicator import TypingIndicator
from .typing_pace import TypingPace

MERGE_THRESHOLD_S = 0.25
"""Lateness below this is our own overhead and does not trigger merging."""

BLOCKED_NOTICE = "-# A part of this answer was held back by a filter."


class DeliveryLog(Protocol):
    """Records the outcome of each message."""

    def record_sent(self, receipt: Receipt) -> None:
        """Record a delivered message."""

    def record_lost(self, message: Message, reason: str) -> None:
        """Record a message that was not delivered, or whose outcome is unknown."""


class DeliveryJournal(Protocol):
    """Records each message before it is sent, so that another process can resume the turn."""

    @property
    def id(self) -> str:
        """Id of the turn; part of every message's key."""

    async def sending(
        self, part: int, message: Message, until: int, rest: Sequence[Message] = (), *, live: bool = False
    ) -> None:
        """Record that a message is about to be sent.

        Args:
            part: number of the message in the turn.
            message: the message.
            until: planned messages that are done once it is delivered, except for the `rest`.
            rest: pieces of the last planned message that are still to be sent.
            live: whether it is a live message that will be edited.

        """

    async def flush(self) -> bool:
        """Wait until everything so far is written; return false if that takes too long."""

    def finalized(self, part: int, receipt: Receipt, until: int, rest: Sequence[Message]) -> None:
        """Record that a live message has its final text."""

    def delivered(self, receipt: Receipt) -> None:
        """Record that the message was delivered."""

    def failed(self, reason: str) -> None:
        """Record that the message was not delivered, or that its outcome is unknown."""

    def cancelled(self) -> None:
        """Record that the message was not sent; others may replace it."""


@dataclass(frozen=True, slots=True)
class MessageTools:
    """Functions that change messages; the turn passes them in, because delivery does not import `_text`."""

    draw: Callable[[Message], Awaitable[list[Message]]]
    """Render the tables of a message as images; returns several messages if the text does not fit."""
    resplit: Resplit
    join: Callable[[Message, Message], Message | None]
    """Join two messages, or return `None` if that would change how they render."""
    screen: Callable[[Message], Awaitable[str]] | None = None
    """Return why a message may not be sent; empty if it may."""


class MessageSender:
    """Send the messages of an outbox through a transport, in order, and record each outcome.

    It has many attributes because it joins queue, clock, retries, typing indicator and journal; the state of
    its own is the last three.
    """

    def __init__(  # noqa: PLR0913
        self,
        transport: Transport,
        outbox: Outbox,
        clock: DeliveryClock,
        log: DeliveryLog,
        tools: MessageTools,
        settings: Settings,
        *,
        typing: bool = True,
        journal: DeliveryJournal | None = None,
        people: Sequence[Person] = (),
    ) -> None:
        self._outbox = outbox
        self._outbox.clock = clock.now
        self._clock = clock
        self._log = log
        self._tools = tools
        self._journal = journal
        self._sender = RetryingSender(
            transport, clock, settings, tools.resplit, journal.id if journal else None, people
        )
        # The transport if it has rate limits and locks, else `None`.
        self._reliable = self._sender.reliable
        # Whether overdue messages are merged.
        self._merges = settings.merge == "auto"
        # Which message of the answer causes a push notification.
        self._notify = settings.notify
        # Whether a message that a filter blocked ends the turn.
        self._stops_blocked = settings.on_filtered == "stop"
        self._indicator = TypingIndicator(transport, clock, on=typing)
        self._pace = TypingPace(outbox, clock, self._indicator, self._reliable, settings.max_typing_lag)
        # Whether a request is in flight.
        self._posting = False
        # Whether a message of this answer has already caused a push notification.
        self._has_notified = False
        # Cleared between `pause_sending` and `resume_sending`.
        self._may_send = asyncio.Event()
        self._may_send.set()

    @property
    def in_flight(self) -> bool:
        """Whether the first message of the outbox is on its way."""
        return self._posting

    @property
    def pieces(self) -> int:
        """Pieces in the visible live message; 0 if there is none."""
        return 0

    def expedite(self, timeout: float | None = None) -> None:
        """Stop all waits and the typing indicator; see `DeliveryClock.expedite`."""
        self._clock.expedite(timeout)

    def resume_from(self, part: int, live: Receipt | None = None) -> None:  # noqa: ARG002 - used by LiveSender
        """Resume the turn of another process: the number of the next message, and its live message."""
        self._sender.parts = part

    def pause_sending(self) -> None:
        """Start no further message until `resume_sending`."""
        self._may_send.clear()

    def resume_sending(self) -> None:
        """Allow further messages after `pause_sending`."""
        self._may_send.set()

    async def run(self) -> None:
        """Send until the outbox is closed and empty."""
        try:
            while await self._wait_for_message():
                message = self._outbox.find_first()
                if message is not None:
                    await self._send_when_due(message)
        finally:
            await self._indicator.cancel()

    async def _send_when_due(self, message: Message) -> None:
        """Wait until the first message is due, then send it."""
        due = await self._pace.wait_for_turn(message)
        if self._notify == "last":
            await self._wait_for_follower()
            due = self._clock.now()
        await self._may_send.wait()
        # A stop may have removed it meanwhile.
        if self._outbox.find_first() is message:
            await self._indicator.cancel()
            await self._send(message, due)

    # --- Waiting --------------------------------------------------------------------------------

    async def _wait_for_message(self) -> bool:
        """Wait for a message, showing typing meanwhile; false if the outbox is closed and empty."""
        if self._outbox.find_first() is None:
            # The model is slower than Discord: nothing is overdue.
            self._pace.lateness = 0.0
        await self._indicator.show_while(self._wait_until_filled, first=self._pace.last_sent_at is None)
        return self._outbox.find_first() is not None

    async def _wait_until_filled(self, seconds: float | None) -> bool:
        """Wait for a message or the end of the outbox for at most `seconds`; return whether it came."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._outbox.wait_for_news()
                return True
        return False

    # --- Sending --------------------------------------------------------------------------------

    async def _send(self, message: Message, due: float) -> None:
        drawable = message.files or message.content.endswith("```")
        pieces = await self._tools.draw(message) if drawable else [message]
        if self._outbox.find_first() is not message:
            return
        if len(pieces) > 1:
            self._outbox.replace_first(pieces)
        else:
            async with self._channel_lock(message):
                await self._send_alone(message, pieces[0], due)

    async def _send_alone(self, message: Message, drawn: Message, due: float) -> None:
        """Send a message, as planned or with rendered tables, while holding the lock of the channel."""
        if self._outbox.find_first() is not message or not self._may_send.is_set():
            return
        # A message with a rendered table is not merged, however late it is.
        merged, due = self._merge(message, due) if drawn is message else (message, due)
        if self._journal is not None and not await self._journal_sending(self._journal, merged):
            return
        began = self._clock.now()
        outcome = await self._post(drawn if merged is message else merged, last=self._is_last)
        self._pace.record_sent(began, due)
        waited = round(began - self._pace.waiting_since, 3)
        if waited and isinstance(outcome, Receipt) and not outcome.waited:
            outcome = replace(outcome, waited=waited)
        # Still under the lock: a notice may follow, and no other message may come between.
        await self._record_outcome(merged, outcome, merged=merged is not message)

    async def _journal_sending(self, journal: DeliveryJournal, message: Message) -> bool:
        """Record in the journal that a message is about to be sent; return whether it still is."""
        await journal.sending(self._sender.parts, message, *self._outbox.progress())
        # A stop may have removed it while the journal was written.
        stays = self._outbox.find_first() is message and self._may_send.is_set()
        if not stays:
            journal.cancelled()
        return stays

    @property
    def _is_last(self) -> bool:
        """Whether the first message of the outbox is the last one of the answer."""
        return self._outbox.closed and len(self._outbox) == 1

    async def _post(self, message: Message, *, last: bool = False) -> Outcome:
        if (screen := self._tools.screen) and not message.notice and (reason := await screen(message)):
            return Undelivered("moderated", Moderated(reason) if self._stops_blocked else None)
        self._posting = True
        try:
            outcome = await self._sender.send(message, silent=self._is_silent(message), last=last)
        finally:
            self._posting = False
        self._has_notified = self._has_notified or isinstance(outcome, Receipt)
        return outcome

    def _is_silent(self, message: Message) -> bool:
        """Whether a message causes no push notification, because another one of the answer does."""
        match self._notify:
            case "first":
                return self._has_notified
            case "last":
                return message.notice or not (self._outbox.closed and len(self._outbox) <= 1)
            case choice:
                return choice == "none"

    async def _wait_for_follower(self) -> None:
        """Wait until it is known whether the first message is the last one."""
        while not (self._outbox.closed or len(self._outbox) > 1 or self._clock.expedited):
            await self._outbox.wait_for_any_news()

    async def _record_outcome(self, message: Message, outcome: Outcome, *, merged: bool) -> None:
        # The log keeps the planned message: the model must remember its table, not our image.
        match outcome:
            case Receipt():
                # Only delivered or given-up messages leave the outbox; the turn accounts for the rest.
                self._outbox.done()
                receipt = outcome
                if merged or outcome.message is not message:
                    changes = (*outcome.changes, "merged") if merged else outcome.changes
                    receipt = replace(outcome, message=message, changes=changes)
                if self._journal is not None:
                    self._journal.delivered(receipt)
                self._log.record_sent(receipt)
            case Undelivered(reason, error):
                self._outbox.done()
                if self._journal is not None and reason != "undelivered":
                    self._journal.failed(reason)
                self._log.record_lost(message, reason)
                if reason in {"blocked", "moderated"}:
                    await self._send_blocked_notice()
                if error is not None:
                    raise error
            case pieces:
                if self._journal is not None:
                    self._journal.cancelled()
                self._outbox.replace_first(pieces)

    async def _send_blocked_notice(self) -> None:
        outcome = await self._post(Message(BLOCKED_NOTICE, notice=True))
        if isinstance(outcome, Receipt):
            self._log.record_sent(outcome)

    def _merge(self, message: Message, due: float) -> tuple[Message, float]:
        """Merge the overdue messages after this one; return the result and when its last part was due."""
        now = self._clock.now()
        # At a shutdown everything counts as overdue, because fewer requests finish sooner.
        flushes = self._clock.expedited and self._clock.in_flight_timeout is None
        if not self._merges or not (flushes or now - due >= MERGE_THRESHOLD_S):
            return message, due
        merged, count = message, 1
        for follower in self._outbox.waiting[1:]:
            delay = self._pace.shrink(follower.delay, due)
            joined = self._tools.join(merged, follower) if flushes or due + delay <= now else None
            # Do not exceed a limit that Discord has already enforced.
            if joined is None or len(joined.content) > self._sender.limit:
                break
            merged, due, count = joined, due + delay, count + 1
        if count > 1:
            self._outbox.replace_first([merged], count)
        return merged, due

    def _channel_lock(self, message: Message) -> AbstractAsyncContextManager[None]:
        """Return a context that holds the lock of the channel, if it has one."""
        return self._locked(message, self._reliable.lock()) if self._reliable else nullcontext()

    @asynccontextmanager
    async def _locked(
        self, message: Message, lock: AbstractAsyncContextManager[object]
    ) -> AsyncIterator[None]:
        """Hold a lock; a message that was removed by a stop does not wait for it."""
        entered = await self._clock.unless_expedited(_enter(lock))
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
