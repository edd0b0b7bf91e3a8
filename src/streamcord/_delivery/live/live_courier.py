"""Shows an answer as one message that grows: created early, edited at Discord's pace, sealed when complete.

What is complete waits in the outbox, as always. While nothing waits there, the draft of the message to come
is shown: first as a new message, then by edits of it, the newest text only. The first message of the outbox
is then the end of the one that grows, and an edit delivers it. An edit on the way that is lost is forgotten;
the last one is tried for as long as a message would be. Where a message cannot be edited any more, what is
new goes on in a message of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol, TypeGuard

from ..._errors import ChannelGone, DeliveryError, NotAllowed, NoVoice, Refused, Uncertain
from ..._events import Message, Receipt
from ..._settings import DISCORD_LIMIT, Delivering, Settings
from .. import EditableTransport, GrowingTransport, Transport
from ..courier import PATIENCE, REFRESH, Courier, DeliveryJournal, DeliveryLog, MessageTools
from ..error_codes import Action, ErrorCode, choose_action
from ..outbox import Outbox, Pace, seal
from ..retries import FIRST_PAUSE, LONGEST_PAUSE, pings_of
from .shown_text import Drafted, rest_of

__all__ = ["Drafts", "LiveCourier", "for_transport"]

FIRST_LENGTH = 30
"""A message is made with so many characters at least, if more are to come: they are what a phone shows."""
RHYTHM = 1.25
"""Seconds between two edits of one message while no other message grows in its channel."""
SLOWEST = 1 / 0.3
"""If edits would be rarer than this, only whole messages are shown."""
OLDEST = 55 * 60.0
"""Messages older than an hour may hardly be edited, https://docs.discord.food/resources/message."""

_FIXED = frozenset({ErrorCode.TOO_MANY_EDITS, ErrorCode.UNKNOWN_MESSAGE})


class Drafts(DeliveryLog, Protocol):
    """Knows the message that is being written, and is told what became of it."""

    def find_draft(self) -> Drafted | None:
        """What is certain of the message that is being written."""
        ...

    def note_open(self, receipt: Receipt) -> None:
        """A message has appeared that is going to grow."""
        ...

    def seal_draft(self, pieces: int) -> None:
        """End the message that is being written behind so many pieces: it comes into the outbox."""
        ...


@dataclass(slots=True)
class _Open:
    """The message that people see grow."""

    receipt: Receipt
    shown: Drafted
    born: float
    touched: float
    sure: bool = True
    """Whether it certainly says what `shown` says,"""
    wanted: Drafted | None = None
    """and what else it may say."""


def for_transport(settings: Settings, transport: object, *, show: bool = True) -> Settings:
    """The settings that a transport can serve: one that cannot edit is sent bubbles."""
    if settings.delivery == "bubbles":
        return settings
    if not show or not isinstance(transport, GrowingTransport | EditableTransport):
        return replace(settings, delivery="bubbles")
    if not isinstance(transport, GrowingTransport):
        return replace(settings, live_limit=DISCORD_LIMIT)
    return settings


class LiveCourier(Courier):
    """Sends the messages of an outbox, and before they are complete what is certain of them."""

    def __init__(  # noqa: PLR0913
        self,
        transport: Transport,
        outbox: Outbox,
        pace: Pace,
        log: Drafts,
        tools: MessageTools,
        settings: Delivering,
        *,
        typing: bool = True,
        journal: DeliveryJournal | None = None,
    ) -> None:
        super().__init__(transport, outbox, pace, log, tools, settings, typing=typing, journal=journal)
        self._drafts = log
        if self._notify == "last":
            # Nobody knows which message that grows will be the last.
            self._notify = "first"
        self._settings = settings
        self._editable: object = transport
        self._growing = transport if isinstance(transport, GrowingTransport) else None
        self._open: _Open | None = None
        self._coming = 0  # pieces of the draft that is on its way
        self._streams: Callable[[], int] = _alone
        self._cap = DISCORD_LIMIT * 2  # what can be made to grow no further

    def go_on(self, part: int, growing: Receipt | None = None) -> None:
        """Go on where another process was; a message that was growing goes on growing."""
        super().go_on(part)
        if growing is not None:
            now = self._pace.now()
            self._open = _Open(growing, _Shown(growing.message, 0), now, now, sure=False)

    @property
    def in_flight(self) -> bool:
        """Whether the first message of the outbox is on its way: a part of it may be visible already."""
        return self._posting or self._open is not None or self._coming > 0

    @property
    def pieces(self) -> int:
        """Of how many pieces the message is made that people see grow; 0 if none does."""
        if self._outbox.find_first() is not None:
            return 0
        return self._coming or (self._open.shown.pieces if self._open else 0)

    async def run(self) -> None:
        """Send until the outbox is closed and empty."""
        counted: AbstractContextManager[Callable[[], int]] = nullcontext(_alone)
        if self._growing is not None:
            counted = self._growing.watch_growth()
        with counted as self._streams:
            try:
                while await self._wait_for_work():
                    message = self._outbox.find_first()
                    if message is None:
                        await self._show_draft()
                    elif self._open is None and len(message.content) <= self._sender.limit:
                        await self._take(message)
                    else:
                        await self._complete(message)
            except BaseException:
                self._leave()
                raise
            finally:
                await self._indicator.rest()

    # --- Waiting --------------------------------------------------------------------------------

    async def _wait_for_work(self) -> bool:
        """Wait until a message is complete, or its draft is due; false if there will be nothing more."""
        patience = PATIENCE
        while self._outbox.find_first() is None:
            if self._outbox.closed:
                return False
            wait = self._until_due()
            if wait == 0:
                return True
            idle = self._typing and not self._pace.hurried and self._open is None
            if not await self._hear(min(wait or patience, patience) if idle else wait) and wait is None:
                await self._indicator.show()
                patience = REFRESH
        return True

    async def _hear(self, seconds: float | None) -> bool:
        """Wait for news, at most so long; whether there were any."""
        news = asyncio.ensure_future(self._outbox.wait_for_any_news())
        over = asyncio.ensure_future(self._pace.sleep(seconds)) if seconds is not None else None
        try:
            await asyncio.wait({news, over} if over else {news}, return_when=asyncio.FIRST_COMPLETED)
            return news.done()
        finally:
            for task in (news, over):
                if task is not None:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)

    def _until_due(self) -> float | None:
        """Seconds until the draft may be shown; `None` if there is nothing new to show."""
        draft = self._drafts.find_draft()
        if draft is None or self._pace.hurried or not self._free.is_set() or self._rhythm > SLOWEST:
            return None
        length = len(draft.message.content)
        limit = self._growing.growth_limit(draft.message) if self._growing else DISCORD_LIMIT
        if length > min(limit, self._cap):
            return None
        if self._open is None:
            ready = FIRST_LENGTH <= length <= self._sender.limit
            return self._pause(draft.message) if ready else None
        if draft.pieces <= self._open.shown.pieces:
            return None
        if self._is_old(self._open):
            return self._pause(draft.message)
        pause = self._growing.edit_pause(self._open.receipt) if self._growing else 0.0
        return max(0.0, pause, round(self._open.touched + self._rhythm - self._pace.now(), 6))

    @property
    def _rhythm(self) -> float:
        return RHYTHM * self._streams()

    def _is_old(self, grown: _Open) -> bool:
        """Whether it is too old to be edited, or so old that people would not notice."""
        return self._pace.now() - grown.born > min(self._settings.fresh_after or OLDEST, OLDEST)

    # --- On the way -----------------------------------------------------------------------------

    async def _show_draft(self) -> None:
        """Show what is certain by now."""
        draft = self._drafts.find_draft()
        if draft is None or not self._free.is_set():
            return
        if self._open is not None and self._is_old(self._open):
            # What is new is a message again, and may make a phone ring.
            self._rang = False
            self._leave()
            return
        await self._indicator.rest()
        self._coming = draft.pieces
        try:
            if self._open is None:
                await self._begin(draft)
            else:
                await self._grow(self._open, draft)
        finally:
            self._coming = 0

    async def _begin(self, draft: Drafted) -> None:
        async with self._alone(draft.message):
            if not await self._write_beginning(draft.message):
                return
            outcome = await self._post(draft.message)
        now = self._pace.now()
        if isinstance(outcome, Receipt):
            if self._journal is not None:
                self._journal.arrive(outcome)
            self._open = _Open(outcome, draft, now, now)
            self._drafts.note_open(outcome)
            return
        # It could not be sent as it is: from here on it is a message like any other.
        whole = self._outbox.find_first()
        if whole is None:
            self._drafts.seal_draft(draft.pieces)
        else:
            rest = rest_of(whole, draft.message)
            self._outbox.replace_first([draft.message, *([rest] if rest else [])])
        await self._note(draft.message, outcome, merged=False)

    async def _write_beginning(self, message: Message) -> bool:
        """Note in the journal that a message is about to appear; says whether it still is."""
        if self._journal is None:
            return True
        await self._journal.attempt(self._sender.parts, message, self._outbox.left, grows=True)
        if not self._free.is_set():
            self._journal.void()
        return self._free.is_set()

    async def _grow(self, grown: _Open, draft: Drafted) -> None:
        try:
            await self._revise(grown, draft.message)
        except DeliveryError as error:
            grown.touched = self._pace.now()
            if isinstance(error, ChannelGone):
                raise
            if _is_fixed(error):
                await self._be_sure(grown)
                self._end_here(grown, error)
            elif isinstance(error, Refused):
                self._cap = _cap_after(error, grown.shown.message, draft.message)
            elif isinstance(error, Uncertain):
                grown.sure, grown.wanted = False, draft
        else:
            grown.shown, grown.sure = draft, True

    async def _be_sure(self, grown: _Open) -> None:
        """Find out whether an edit whose answer was lost was made."""
        if grown.sure or grown.wanted is None or self._growing is None:
            return
        said = await self._growing.read_growth(grown.receipt)
        if said is None:
            return
        if said == grown.wanted.message.content:
            grown.shown = grown.wanted
        grown.sure = True

    async def _revise(self, grown: _Open, message: Message) -> None:
        if self._growing is not None:
            pings = pings_of(message, self._settings)
            parcel = seal("", 0, message, pings, previews=self._settings.previews == "auto")
            changed = await self._pace.in_time(self._growing.revise(grown.receipt, parcel))
        else:
            assert isinstance(self._editable, EditableTransport)
            changed = await self._editable.edit(grown.receipt, message.content)
        grown.receipt = replace(grown.receipt, changes=changed.changes)
        grown.touched = self._pace.now()

    def _end_here(self, grown: _Open, error: DeliveryError) -> None:
        """What people see of it stays, or was deleted; what is new goes on elsewhere."""
        deleted = isinstance(error, Refused) and error.code == ErrorCode.UNKNOWN_MESSAGE
        changes = ("deleted",) if deleted else ()
        grown.receipt = replace(grown.receipt, changes=(*grown.receipt.changes, *changes))
        self._leave()

    # --- Complete -------------------------------------------------------------------------------

    async def _complete(self, message: Message) -> None:
        """The message that grows is complete: make it say all of it."""
        await self._free.wait()
        if self._outbox.find_first() is not message:
            return
        grown = self._open
        if grown is None:
            await self._begin_long(message)
        elif grown.sure and grown.shown.message.content == message.content:
            self._settle(grown, message)
        elif self._is_old(grown):
            self._rang = False
            self._leave()
        else:
            await self._seal(grown, message)

    async def _begin_long(self, message: Message) -> None:
        """A message that only an edit can make as long as it is begins with as much as a new one may hold."""
        parts = self._tools.resplit(message, self._sender.limit)
        limit = min(self._cap, self._growing.growth_limit(message)) if self._growing else 0
        if len(message.content) > limit or message.files:
            self._outbox.replace_first(parts)
            return
        async with self._alone(message):
            if not await self._write_beginning(parts[0]):
                return
            outcome = await self._post(parts[0])
        if isinstance(outcome, Receipt):
            if self._journal is not None:
                self._journal.arrive(outcome)
            now = self._pace.now()
            self._open = _Open(outcome, _Shown(parts[0], 0), now, now)
            self._drafts.note_open(outcome)
        else:
            self._outbox.replace_first(parts)
            await self._note(parts[0], outcome, merged=False)

    async def _seal(self, grown: _Open, message: Message) -> None:
        """Edit until it says all, or until it cannot."""
        since, failures = self._pace.now(), 0
        while self._outbox.find_first() is message:
            pause = self._growing.edit_pause(grown.receipt) if self._growing else 0.0
            await self._pace.wait(min(pause, max(0.0, RHYTHM - self._pace.now() + grown.touched)))
            try:
                await self._revise(grown, message)
            except (DeliveryError, TimeoutError) as error:
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**failures)
                pause = max(pause, getattr(error, "retry_after", None) or 0.0)
                failures += 1
                if isinstance(error, Uncertain | TimeoutError):
                    grown.sure, grown.wanted = False, _Shown(message, 0)
                if not self._may_retry(error, since, pause):
                    await self._be_sure(grown)
                    await self._give_up(grown, message, error)
                    return
                await self._pace.sleep(pause)
            else:
                self._settle(grown, message)
                return

    def _may_retry(self, error: Exception, since: float, pause: float) -> bool:
        if isinstance(error, TimeoutError) or (self._pace.hurried and self._pace.patience is not None):
            return False
        assert isinstance(error, DeliveryError)
        late = self._pace.now() + pause - since > self._settings.delivery_timeout
        again = isinstance(error, Uncertain) or choose_action(error) is Action.RETRY
        return again and not late

    async def _give_up(self, grown: _Open, message: Message, error: Exception) -> None:
        """The words that people do not see yet go on as a message, or end the turn."""
        if _is_fixed(error):
            self._end_here(grown, error)
        elif not isinstance(error, Refused):
            self._leave()
            raise error if isinstance(error, DeliveryError) else Uncertain("the turn ended during an edit")
        elif choose_action(error) is Action.BLOCKED:
            self._leave()
            rest = self._outbox.find_first()
            if rest is not None:
                self._outbox.done()
                self._log.note_lost(rest, "blocked")
            await self._give_notice()
            if self._settings.blocked == "stop":
                raise error
        else:
            self._cap = _cap_after(error, grown.shown.message, message)
            self._leave()

    def _settle(self, grown: _Open, message: Message) -> None:
        """It says everything: it has arrived."""
        self._open = None
        receipt = replace(grown.receipt, message=message)
        if self._journal is not None:
            self._journal.seal(self._next_part(), receipt, *self._outbox.progress())
        self._outbox.done()
        self._last = self._pace.now()
        self._log.note_sent(receipt)

    def _next_part(self) -> int:
        self._sender.parts += 1
        return self._sender.parts - 1

    def _leave(self) -> None:
        """End the message that grows with what it says now; what is new of it waits in the outbox."""
        grown, self._open, self._coming = self._open, None, 0
        if grown is None:
            return
        if self._outbox.find_first() is None:
            self._drafts.seal_draft(grown.shown.pieces)
        whole = self._outbox.find_first()
        if whole is None:
            return
        rest = rest_of(whole, grown.shown.message)
        receipt = replace(grown.receipt, message=grown.shown.message)
        lost, rest = (None, rest) if grown.sure else (rest, None)
        self._outbox.replace_first([rest] if rest else [])
        if self._journal is not None:
            until, pieces = self._outbox.progress() if rest else (self._outbox.left, ())
            self._journal.seal(self._next_part(), receipt, until, (rest, *pieces) if rest else ())
        self._log.note_sent(receipt)
        if lost is not None:
            self._log.note_lost(lost, "uncertain")


class _Shown:
    """A message as a draft."""

    def __init__(self, message: Message, pieces: int) -> None:
        self.message = message
        self.pieces = pieces


def _alone() -> int:
    return 1


def _is_fixed(error: Exception) -> TypeGuard[DeliveryError]:
    """Whether the message cannot be changed any more."""
    return isinstance(error, NotAllowed | NoVoice) or (isinstance(error, Refused) and error.code in _FIXED)


def _cap_after(error: Refused, shown: Message, wanted: Message) -> int:
    """How long a message may grow, now that Discord has refused this."""
    plain = DISCORD_LIMIT if len(wanted.content) > DISCORD_LIMIT else len(shown.content)
    return min(error.limit or plain, plain)
