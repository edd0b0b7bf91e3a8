"""The turn's side of a journal, and going on with a turn that another process began.

The text that was heard goes through the core once more, with the same settings and the same lots, so the same
messages come out. Those that arrived are taken out; the one in doubt is looked for in the channel, and
adopted or sent under the same key. What stands there and cannot be explained ends the turn: nothing is said
twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from .._delivery.live.trailing_images import with_images
from .._delivery.outgoing import is_same_turn, make_message_tag
from .._delivery.transport import FetchedMessage, LiveTransport, ReadableTransport
from .._events import Message, Receipt
from .._exceptions import DeliveryError, Unavailable, Uncertain
from .._stop import StopMode
from .reconcile import (
    Reconciliation,
    ResumePoint,
    SavedAttempt,
    SavedTurn,
    find_grown,
    is_whole,
    lay_out,
    remaining_messages,
    settle,
    without_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._delivery.clock import DeliveryClock
    from .._delivery.outbox import Outbox
    from .._delivery.transport import Transport
    from .._stop import Stop
    from .serialization import SourceStats
    from .turn_journal import TurnJournal

__all__ = ["Restorer", "TurnRecord"]

SETTLE, SETTLE_VOICE = 1.0, 5.0
"""Seconds that Discord is given to finish what the other process asked for; more where there is no key."""
SAFE_WINDOW = 60.0
"""A message that cannot be looked for may be sent again under its key for so long."""


class Plan(Protocol):
    """Where a turn plans its messages and keeps its books."""

    @property
    def outbox(self) -> Outbox:
        """What waits to be sent."""
        ...

    @property
    def halted(self) -> bool:
        """Whether the text itself has ended the answer."""
        ...

    def replay(self, events: Iterable[SourceStats], *, complete: bool, anew: bool = False) -> None:
        """Plan again what was heard, to the end if it is `complete`; `anew` forgets what was planned."""
        ...

    def silence(self, reason: str) -> None:
        """Send nothing more: what waits and what comes is lost for this reason."""
        ...

    def record_sent(self, receipt: Receipt) -> None:
        """A message has arrived."""
        ...

    def record_lost(self, message: Message, reason: str) -> None:
        """A message will not arrive, or nobody knows."""
        ...


class TurnRecord:
    """What a turn tells its journal; without one, nothing."""

    def __init__(
        self, journal: TurnJournal | None, plan: Plan, transport: Transport, pace: DeliveryClock
    ) -> None:
        self._journal = journal
        self._plan = plan
        self._transport = transport
        self._pace = pace

    @property
    def is_open(self) -> bool:
        """Whether the source may be read: nothing has ended the answer already."""
        return not self._plan.halted and not (self._journal and self._journal.stray)

    def note_end(self, *, read_out: bool) -> None:
        """The source was read, to its end or not."""
        if self._journal is not None and read_out:
            self._journal.hear_end()

    def note_stop(self, mode: StopMode) -> None:
        """Somebody stopped the turn."""
        if self._journal is not None and mode is not StopMode.HAND_OVER:
            self._journal.stop(mode)

    def close(self, error: BaseException | None, stop: Stop) -> None:
        """The turn is over, unless Discord could not be reached or this process is ending."""
        if self._journal is None:
            return
        unreachable = isinstance(error, Unavailable | Uncertain | asyncio.CancelledError)
        if stop.mode is StopMode.HAND_OVER or (stop.mode is None and unreachable):
            self._journal.leave()
        else:
            self._journal.end()

    async def restore(self) -> tuple[int, Receipt | None]:
        """Go on with what another process began, if there is such.

        Returns the number of the next part, and the message that was growing.
        """
        if self._journal is None:
            return 0, None
        if self._journal.saved is None:
            return 0, None
        return await Restorer(self._journal, self._plan, self._transport, self._pace).restore(
            self._journal.saved
        )


class Restorer:
    """Brings a turn back to where it was."""

    def __init__(self, journal: TurnJournal, plan: Plan, transport: Transport, pace: DeliveryClock) -> None:
        self._journal = journal
        self._plan = plan
        self._transport = transport
        self._pace = pace

    async def restore(self, saved: SavedTurn) -> tuple[int, Receipt | None]:
        """Plan again, account for what arrived, leave the rest in the outbox.

        Returns the number of the next part, and the message that was growing.
        """
        self._plan.replay(saved.heard, complete=saved.complete)
        planned = self._plan.outbox.waiting
        layout = lay_out(planned, saved)
        self._note_arrived(planned, saved)
        if layout is None:
            # Another version plans other messages: what was shown counts by its characters.
            pieces, rest = remaining_messages(saved)
            self._plan.replay((rest,), complete=saved.complete, anew=True)
            planned, layout = self._plan.outbox.waiting, ResumePoint(pieces, 0)
        queue = layout.queue(planned)
        settlement, growing = await self._look(saved, queue)
        part = saved.doubt.part if saved.doubt else saved.parts
        if growing is not None and saved.growing is None:
            self._journal.adopt(part, growing.message, saved.until, saved.rest, growing.id, grows=True)
            part += 1
        at = 0
        for count, seen in settlement.adopted:
            at += count
            self._adopt(part, queue[at - count : at], layout.without(at), seen)
            part += 1
        left = layout.without(at)
        self._plan.outbox.skip(left.base, left.pieces)
        if settlement.stray:
            self._journal.stray = True
            self._plan.silence("uncertain")
        return part, growing

    def _note_arrived(self, planned: Sequence[Message], saved: SavedTurn) -> None:
        before = 0
        for attempt, receipt in saved.arrived:
            whole = planned[before : attempt.until]
            before = attempt.until
            message = _joined(whole) if whole else attempt.message
            same = message.content == attempt.message.content
            # The plan knows more of it than the row: files, edits, what was added.
            self._plan.record_sent(replace(receipt, message=message) if same else receipt)

    async def _look(
        self, saved: SavedTurn, queue: Sequence[Message]
    ) -> tuple[Reconciliation, Receipt | None]:
        """What stands in the channel already, and the message that grows there."""
        doubt = saved.doubt
        if doubt is not None:
            wait = SETTLE if self._has_key(doubt) else SETTLE_VOICE
            # A clock that was set back must not make anybody wait.
            await self._pace.wait(min(wait, wait + doubt.at - self._journal.now()))
        try:
            found = await self._read(saved)
        except DeliveryError:
            return self._guess(saved), saved.growing[1] if saved.growing else None
        grown = find_grown(saved, found)
        if grown is not None and is_whole(queue, grown):
            return settle(queue, found), None
        first = make_message_tag(saved.id, doubt.part) if doubt is not None and not doubt.grows else 0
        settlement = settle(queue, [seen for seen in found if seen is not grown], first)
        growing = _as_growing(saved, grown)
        return settlement, growing or await self._read_grown(saved)

    async def _read_grown(self, saved: SavedTurn) -> Receipt | None:
        """A message that grew and was not found: this process has left it itself, or somebody deleted it."""
        if saved.growing is None:
            return None
        receipt = saved.growing[1]
        seen = None
        if isinstance(self._transport, LiveTransport):
            with suppress(DeliveryError):
                seen = await self._transport.fetch_live(receipt)
        # One that is gone is not said again either: its next edit tells that it is.
        shown = replace(receipt.message, content=seen.content, added=()) if seen else receipt.message
        return replace(receipt, message=shown)

    async def _read(self, saved: SavedTurn) -> Sequence[FetchedMessage]:
        if not isinstance(self._transport, ReadableTransport):
            raise Uncertain("this transport cannot be read back")
        known = {receipt.id for _, receipt in saved.arrived} | {mark.message for mark in saved.marks}
        if saved.growing is not None:
            # It may have a button, and is looked at all the same.
            known.discard(saved.growing[1].id)
        found = [seen for seen in await self._transport.read_back(saved.last_id) if seen.id not in known]
        # What carries the name of another turn is none of our business.
        return [
            seen
            for seen in found
            if not seen.message_tag or is_same_turn(seen.message_tag, make_message_tag(saved.id, 0))
        ]

    def _has_key(self, attempt: SavedAttempt) -> bool:
        """Whether Discord itself sees to it that a message is there once."""
        return attempt.message.speaker is None and bool(getattr(self._transport, "has_keys", True))

    def _guess(self, saved: SavedTurn) -> Reconciliation:
        """Where nobody can look, a key that Discord still remembers must do; else it is not said again."""
        doubt = saved.doubt
        if doubt is None or doubt.grows:
            return Reconciliation()
        has_key = self._has_key(doubt) and isinstance(self._transport, ReadableTransport)
        fresh = 0 <= self._journal.now() - doubt.at < SAFE_WINDOW
        return (
            Reconciliation()
            if has_key and fresh
            else Reconciliation(((1, FetchedMessage(0, doubt.message.content)),))
        )

    def _adopt(self, part: int, messages: Sequence[Message], left: ResumePoint, seen: FetchedMessage) -> None:
        """Note a message that was found, and write it down for the next time."""
        message = _joined(messages)
        self._journal.adopt(part, message, left.base, left.pieces, seen.id)
        if seen.id:
            self._plan.record_sent(Receipt(message, seen.id, seen.url, changes=("adopted",)))
        else:
            self._plan.record_lost(message, "uncertain")


def _as_growing(saved: SavedTurn, grown: FetchedMessage | None) -> Receipt | None:
    """The receipt of a message that goes on growing, with the words that it shows now."""
    before = saved.growing[0] if saved.growing else saved.doubt
    if grown is None or before is None:
        return None
    words = without_name(grown.content, before)
    named = words != grown.content or (saved.growing and "no_webhook" in saved.growing[1].changes)
    changes = {"adopted": True, "v2": grown.rich, "no_webhook": named}
    shown = replace(before.message, content=words, added=())
    return Receipt(shown, grown.id, grown.url, changes=tuple(one for one, is_so in changes.items() if is_so))


def _joined(messages: Sequence[Message]) -> Message:
    first, *others = messages
    if not others:
        return first
    if not any(one.content for one in others):
        return with_images(first, others)
    spans = tuple(span for message in messages for span in message.spans)
    return replace(first, content="\n".join(one.content for one in messages), spans=spans)
