"""Resume a turn that another process started.

The recorded text goes through the text pipeline again, with the same settings and the same random seed, so
the same messages are planned. Delivered messages are removed from the plan. The one whose outcome is unknown
is looked up in the channel, then adopted or sent again under the same nonce. If the channel contains messages
that recovery cannot account for, the turn ends, so that nothing is sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from .._delivery.live.trailing_images import with_images
from .._delivery.live.trailing_question import with_question
from .._delivery.outgoing import is_same_turn, make_message_tag
from .._delivery.transport import FetchedMessage, LiveTransport, PrivateTransport, ReadableTransport
from .._events import Message, Receipt
from .._exceptions import DeliveryError, DeliveryUnavailable, DeliveryUncertain, NotAllowed
from .._stop import StopMode
from .reconcile import (
    Reconciliation,
    ResumePoint,
    SavedAttempt,
    SavedTurn,
    align_with_plan,
    find_live,
    is_final,
    reconcile,
    remaining_messages,
    without_name_prefix,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._delivery.clock import DeliveryClock
    from .._delivery.outbox import Outbox
    from .._delivery.transport import Transport
    from .._stop import Stop
    from .serialization import RecordedEvent
    from .turn_journal import TurnJournal

IN_FLIGHT_GRACE_S, WEBHOOK_IN_FLIGHT_GRACE_S = 1.0, 5.0
"""Seconds that Discord gets to finish the other process's last request; more for webhooks, which have no nonce."""
NONCE_WINDOW_S = 60.0
"""Seconds for which a message that cannot be looked up may be sent again under its nonce."""


class Plan(Protocol):
    """Plans the messages of a turn and records their outcomes."""

    @property
    def outbox(self) -> Outbox:
        """The messages that wait to be sent."""

    @property
    def halted(self) -> bool:
        """Whether the text itself has ended the answer."""

    def replay(self, events: Iterable[RecordedEvent], *, complete: bool, restart: bool = False) -> None:
        """Plan recorded events again.

        Args:
            events: what the model sent.
            complete: whether they are the whole answer.
            restart: whether to discard everything planned so far.

        """

    def silence(self, reason: str) -> None:
        """Send nothing more; record all waiting and later messages as lost for this reason."""

    def record_sent(self, receipt: Receipt) -> None:
        """Record a delivered message."""

    def record_lost(self, message: Message, reason: str) -> None:
        """Record a message that was not delivered, or whose outcome is unknown."""


class TurnRecord:
    """Connects a turn with its journal; does nothing if there is none."""

    def __init__(
        self, journal: TurnJournal | None, plan: Plan, transport: Transport, clock: DeliveryClock
    ) -> None:
        self._journal = journal
        self._plan = plan
        self._transport = transport
        self._clock = clock
        self.error: DeliveryError | None = None
        """Why the turn must not be resumed here."""

    @property
    def is_left(self) -> bool:
        """Whether the turn stays in the journal to be resumed."""
        return self._journal is not None and self._journal.is_left

    @property
    def is_open(self) -> bool:
        """Whether the source may be read: the answer has not ended yet."""
        return not self._plan.halted and not (self._journal and self._journal.stray)

    def on_source_end(self, *, read_out: bool) -> None:
        """Record that the source is not read any more; `read_out` means it was read to its end."""
        if self._journal is not None and read_out:
            self._journal.record_source_end()

    def on_stop(self, mode: StopMode) -> None:
        """Record that the turn was stopped, unless it is handed over to another process."""
        if self._journal is not None and mode is not StopMode.HAND_OVER:
            self._journal.stop(mode)

    def close(self, error: BaseException | None, stop: Stop) -> None:
        """End the turn in the journal, or leave it there to be resumed.

        It is left if Discord could not be reached, if this process is ending, or if the caller waits for a
        permission that is missing.
        """
        if self._journal is None:
            return
        unreachable = isinstance(error, DeliveryUnavailable | DeliveryUncertain | asyncio.CancelledError)
        # `self.error` is a refusal of our own, which no permission changes.
        if isinstance(error, NotAllowed) and error is not self.error:
            unreachable = self._journal.waits_for_permission
        if stop.mode is StopMode.HAND_OVER or (stop.mode is None and unreachable):
            self._journal.leave()
        else:
            self._journal.end()

    async def restore(self) -> tuple[int, Receipt | None]:
        """Resume the turn of another process, if there is one.

        Returns:
            The number of the next message, and the live message if there is one.

        """
        if self._journal is None:
            return 0, None
        private = isinstance(self._transport, PrivateTransport) and await self._transport.reply_is_private()
        if self._journal.saved is None:
            if private:
                self._journal.record_private()
            return 0, None
        if self._journal.saved.private and not private:
            self._refuse(self._journal, self._journal.saved)
            return 0, None
        return await Restorer(self._journal, self._plan, self._transport, self._clock).restore(
            self._journal.saved
        )

    def _refuse(self, journal: TurnJournal, saved: SavedTurn) -> None:
        """Account for a private answer that must not be continued where others see it."""
        self._plan.silence("private")
        self._plan.replay(saved.events, complete=True)
        journal.stray = True
        self.error = NotAllowed(
            "this answer was private and this transport is not: resume it with "
            "DiscordInteraction(interaction, ephemeral=True), or leave it out"
        )


class Restorer:
    """Restores the plan and the position of an interrupted turn."""

    def __init__(self, journal: TurnJournal, plan: Plan, transport: Transport, clock: DeliveryClock) -> None:
        self._journal = journal
        self._plan = plan
        self._transport = transport
        self._clock = clock

    async def restore(self, saved: SavedTurn) -> tuple[int, Receipt | None]:
        """Plan again, account for the delivered messages, and leave the others in the outbox.

        Returns:
            The number of the next message, and the live message if there is one.

        """
        self._plan.replay(saved.events, complete=saved.complete)
        planned = self._plan.outbox.waiting
        position = align_with_plan(planned, saved)
        self._record_delivered(planned, saved)
        if position is None:
            # This version plans other messages than the first process did, so the visible text is
            # accounted for by its characters.
            pieces, rest = remaining_messages(saved)
            self._plan.replay((rest,), complete=saved.complete, restart=True)
            planned, position = self._plan.outbox.waiting, ResumePoint(pieces, 0)
        queue = position.queue(planned)
        reconciliation, live = await self._compare_with_channel(saved, queue)
        part = saved.uncertain.part if saved.uncertain else saved.parts
        if live is not None and saved.live is None:
            # The other process died before it recorded the receipt of its live message.
            self._journal.adopt(part, live.message, saved.until, saved.rest, live.id, live=True)
            part += 1
        at = 0
        for count, fetched in reconciliation.adopted:
            at += count
            self._adopt(part, queue[at - count : at], position.without(at), fetched)
            part += 1
        left = position.without(at)
        self._plan.outbox.skip(left.base, left.pieces)
        if reconciliation.stray:
            self._journal.stray = True
            self._plan.silence("uncertain")
        return part, live

    def _record_delivered(self, planned: Sequence[Message], saved: SavedTurn) -> None:
        before = 0
        for attempt, receipt in saved.delivered:
            whole = planned[before : attempt.until]
            before = attempt.until
            message = _joined(whole) if whole else attempt.message
            same = message.content == attempt.message.content
            # The plan knows more about the message than the row: files, edits, added delimiters.
            self._plan.record_sent(replace(receipt, message=message) if same else receipt)

    async def _compare_with_channel(
        self, saved: SavedTurn, queue: Sequence[Message]
    ) -> tuple[Reconciliation, Receipt | None]:
        """Return which planned messages are in the channel already, and the live message."""
        uncertain = saved.uncertain
        if uncertain is not None:
            wait = IN_FLIGHT_GRACE_S if self._has_nonce(uncertain) else WEBHOOK_IN_FLIGHT_GRACE_S
            # The minimum limits the wait if the clock was set back since then.
            await self._clock.wait(min(wait, wait + uncertain.at - self._journal.now()))
        try:
            found = await self._read(saved)
        except DeliveryError:
            return self._assume_outcome(saved), saved.live[1] if saved.live else None
        fetched_live = find_live(saved, found)
        if fetched_live is not None and is_final(queue, fetched_live):
            return reconcile(queue, found), None
        first_tag = make_message_tag(saved.id, uncertain.part) if uncertain and not uncertain.live else 0
        others = [fetched for fetched in found if fetched is not fetched_live]
        live = _receipt_of_live(saved, fetched_live) or await self._fetch_missing_live(saved)
        return reconcile(queue, others, first_tag), live

    async def _fetch_missing_live(self, saved: SavedTurn) -> Receipt | None:
        """Fetch the recorded live message by its id; it may be too old for the read, or deleted."""
        if saved.live is None:
            return None
        receipt = saved.live[1]
        fetched = None
        if isinstance(self._transport, LiveTransport):
            with suppress(DeliveryError):
                fetched = await self._transport.fetch_live(receipt)
        # A deleted one is not sent again here: its next edit fails, and the live sender handles that.
        shown = replace(receipt.message, content=fetched.content, added=()) if fetched else receipt.message
        return replace(receipt, message=shown)

    async def _read(self, saved: SavedTurn) -> Sequence[FetchedMessage]:
        if not isinstance(self._transport, ReadableTransport):
            raise DeliveryUncertain("this transport cannot read messages back")
        known = {receipt.id for _, receipt in saved.delivered} | {mark.message for mark in saved.marks}
        if saved.live is not None:
            # A button on the live message is a mark, but the message itself must be read.
            known.discard(saved.live[1].id)
        found = [
            fetched for fetched in await self._transport.read_back(saved.last_id) if fetched.id not in known
        ]
        # A tag of another turn proves that the message is not ours.
        return [
            fetched
            for fetched in found
            if not fetched.message_tag or is_same_turn(fetched.message_tag, make_message_tag(saved.id, 0))
        ]

    def _has_nonce(self, attempt: SavedAttempt) -> bool:
        """Whether Discord removes duplicates of a message by its nonce."""
        return attempt.message.speaker is None and bool(getattr(self._transport, "has_keys", True))

    def _assume_outcome(self, saved: SavedTurn) -> Reconciliation:
        """Decide about the uncertain message when the channel cannot be read.

        It is sent again only while Discord still remembers its nonce.
        """
        uncertain = saved.uncertain
        if uncertain is None or uncertain.live:
            return Reconciliation()
        has_nonce = self._has_nonce(uncertain) and isinstance(self._transport, ReadableTransport)
        fresh = 0 <= self._journal.now() - uncertain.at < NONCE_WINDOW_S
        return (
            Reconciliation()
            if has_nonce and fresh
            else Reconciliation(((1, FetchedMessage(0, uncertain.message.content)),))
        )

    def _adopt(
        self, part: int, messages: Sequence[Message], left: ResumePoint, fetched: FetchedMessage
    ) -> None:
        """Record a planned message that was found in the channel."""
        message = _joined(messages)
        self._journal.adopt(part, message, left.base, left.pieces, fetched.id)
        if fetched.id:
            self._plan.record_sent(Receipt(message, fetched.id, fetched.url, changes=("adopted",)))
        else:
            self._plan.record_lost(message, "uncertain")


def _receipt_of_live(saved: SavedTurn, fetched: FetchedMessage | None) -> Receipt | None:
    """Return a receipt for the live message with the text that it shows now."""
    before = saved.live[0] if saved.live else saved.uncertain
    if fetched is None or before is None:
        return None
    text = without_name_prefix(fetched.content, before)
    named = text != fetched.content or (saved.live and "no_webhook" in saved.live[1].changes)
    changes = {"adopted": True, "v2": fetched.rich, "no_webhook": named}
    shown = replace(before.message, content=text, added=())
    return Receipt(
        shown, fetched.id, fetched.url, changes=tuple(one for one, is_so in changes.items() if is_so)
    )


def _joined(messages: Sequence[Message]) -> Message:
    """Merge messages as the sender merged them: text by lines, or images or a question after a text."""
    first, *others = messages
    if not others:
        return first
    if others[-1].ask is not None:
        return with_question((_joined(messages[:-1]), others[-1]))
    if not any(one.content for one in others):
        return with_images(first, others)
    spans = tuple(span for message in messages for span in message.spans)
    return replace(first, content="\n".join(one.content for one in messages), spans=spans)
