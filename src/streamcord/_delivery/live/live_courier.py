"""Shows an answer as one message that grows: created early, edited at Discord's pace, sealed when complete.

What is complete waits in the outbox, as always. While nothing waits there, the draft of the message to come
is shown: first as a new message, then by edits of it, the newest text only. The first message of the outbox
is then the end of the one that grows, and an edit delivers it. An edit on the way that is lost is forgotten;
the last one is tried for as long as a message would be. Where a message cannot be edited any more, what is
new goes on in a message of its own.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

from ..._errors import ChannelGone, DeliveryError, NotAllowed, NoVoice, Refused, Uncertain
from ..._events import Message, Receipt
from ..._settings import DISCORD_LIMIT, Delivering
from .. import Transport
from ..courier import PATIENCE, REFRESH, WORTH, Courier, DeliveryJournal, DeliveryLog, MessageTools
from ..error_codes import Action, choose_action
from ..outbox import Outbox, Pace
from ..retries import FIRST_PAUSE, LONGEST_PAUSE
from .growing_message import RHYTHM, Edits, GrowingMessage, Rhythm, WholeMessage, cap_after, is_fixed
from .pictures_behind import PicturesBehind
from .shown_text import Drafted, SentencesBehind, rest_of

__all__ = ["Drafts", "LiveCourier"]

FIRST_LENGTH = 30
"""A message is made with so many characters at least, if more are to come: they are what a phone shows."""


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
        # Where the last message is to ring, an end is kept for it: an edit rings nowhere.
        self._behind = SentencesBehind() if self._notify == "last" else None
        self._settings = settings
        self._edits = Edits(transport, pace, settings)
        self._open: GrowingMessage | None = None
        self._coming = 0  # pieces of the draft that is on its way
        self._rhythm = Rhythm()
        self._cap = DISCORD_LIMIT * 2  # what can be made to grow no further
        self._pictures = PicturesBehind(outbox, self._edits, pace, tools.draw, settings)

    def go_on(self, part: int, growing: Receipt | None = None) -> None:
        """Go on where another process was; a message that was growing goes on growing."""
        super().go_on(part)
        if growing is not None:
            self._open = GrowingMessage(self._edits, growing, WholeMessage(growing.message), sure=False)

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
        with self._edits.watch() as self._rhythm.streams:
            try:
                while await self._wait_for_work():
                    message = self._outbox.find_first()
                    if message is None:
                        await self._show_draft()
                    elif self._open is None and self._is_whole(message):
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
        patience = PATIENCE if self._last is None else WORTH
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
        draft = self._find_draft()
        if draft is None or self._pace.hurried or not self._free.is_set() or self._rhythm.is_too_slow:
            return None
        length = len(draft.message.content)
        if length > self._most(draft.message):
            return None
        if self._open is None:
            ready = FIRST_LENGTH <= length <= self._sender.limit
            return self._pause(draft.message) if ready else None
        if self._open.fixed or draft.pieces <= self._open.shown.pieces:
            return None
        pause = self._edits.pause(self._open.receipt)
        now = self._pace.now()
        beat = self._rhythm.beat(now, len(self._open.shown.message.content))
        return max(0.0, pause, round(self._open.touched + beat - now, 6))

    def _find_draft(self) -> Drafted | None:
        draft = self._drafts.find_draft()
        return self._behind.choose(draft) if self._behind is not None else draft

    # --- On the way -----------------------------------------------------------------------------

    async def _show_draft(self) -> None:
        """Show what is certain by now."""
        draft = self._find_draft()
        if draft is None or not self._free.is_set():
            return
        if self._open is not None and self._edits.is_old(self._open):
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
        if isinstance(outcome, Receipt):
            self._note_open(outcome, draft)
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

    def _note_open(self, receipt: Receipt, draft: Drafted) -> None:
        if self._journal is not None:
            self._journal.arrive(receipt)
        self._open = GrowingMessage(self._edits, receipt, draft)
        self._rhythm.begin(self._open.born)
        self._drafts.note_open(receipt)

    async def _grow(self, grown: GrowingMessage, draft: Drafted) -> None:
        try:
            await grown.say(draft)
        except ChannelGone:
            raise
        except (DeliveryError, TimeoutError) as error:
            if is_fixed(error):
                self._end_here(grown, error)
            elif isinstance(error, Refused):
                self._cap = cap_after(error, grown.shown.message, draft.message)

    def _end_here(self, grown: GrowingMessage, error: DeliveryError) -> None:
        """What people see of it stays, or was deleted; what is new goes on elsewhere."""
        grown.note_deleted(error)
        self._leave()

    # --- Complete -------------------------------------------------------------------------------

    async def _complete(self, message: Message) -> None:
        """The message that grows is complete: make it say all of it."""
        if self._behind is not None:
            await self._wait_for_follower()
        await self._free.wait()
        if self._outbox.find_first() is not message:
            return
        grown = self._open
        if grown is None:
            await self._begin_long(message)
        elif not (stays := grown.fixed or self._edits.is_old(grown)) and (
            pictures := self._pictures.find(message, self._most(message))
        ):
            await self._bring_pictures(grown, message, pictures)
        elif grown.says(message):
            self._settle(grown, message)
        elif stays or (self._behind is not None and self._is_last and grown.sure):
            self._rang = False
            self._leave()
        else:
            await self._seal(grown, message)

    async def _begin_long(self, message: Message) -> None:
        """A message that only an edit can complete begins with as much as a new one may hold."""
        parts = self._tools.resplit(message, self._sender.limit)
        if len(message.content) > self._most(message) or message.files:
            self._outbox.replace_first(parts)
            return
        await self._wait_for_turn(message)
        async with self._alone(message):
            # A stop may have taken it out meanwhile.
            stays = self._outbox.find_first() is message and self._free.is_set()
            if not stays or not await self._write_beginning(parts[0]):
                return
            outcome = await self._post(parts[0])
        if isinstance(outcome, Receipt):
            self._note_open(outcome, WholeMessage(parts[0]))
        else:
            self._outbox.replace_first(parts)
            await self._note(parts[0], outcome, merged=False)

    def _is_whole(self, message: Message) -> bool:
        """Whether a message needs no edit, since it is short enough and no picture joins it."""
        code = message.content.endswith("```")  # which somebody may draw
        if len(message.content) > self._sender.limit:
            return False
        return code or not self._pictures.find(message, self._most(message))

    def _most(self, message: Message) -> int:
        return min(self._cap, self._edits.limit(message))

    async def _bring_pictures(
        self, grown: GrowingMessage, message: Message, pictures: tuple[Message, ...]
    ) -> None:
        """Make it say all of it and show the pictures behind it; if that is refused, they are messages."""
        drawn = await self._pictures.draw((message, *pictures))
        if drawn and self._free.is_set() and (joined := self._pictures.join((message, *pictures))):
            await self._seal(grown, joined, drawn)
            self._pictures.part(joined, (message, *pictures))

    async def _seal(self, grown: GrowingMessage, message: Message, drawn: Message | None = None) -> None:
        """Edit until it says all, or until it cannot."""
        since, failures = self._pace.now(), 0
        while self._outbox.find_first() is message:
            pause = self._edits.pause(grown.receipt)
            await self._pace.wait(min(pause, max(0.0, RHYTHM - self._pace.now() + grown.touched)))
            try:
                await grown.say(WholeMessage(drawn or message), last=self._is_last)
            except (DeliveryError, TimeoutError) as error:
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**failures)
                pause = max(pause, getattr(error, "retry_after", None) or 0.0)
                failures += 1
                if not self._may_retry(error, since, pause):
                    # Without its pictures it may be taken.
                    if drawn is None or not (_is_refused(error) and grown.sure):
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

    async def _give_up(self, grown: GrowingMessage, message: Message, error: Exception) -> None:
        """The words that people do not see yet go on as a message, or end the turn."""
        if is_fixed(error):
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
            self._cap = cap_after(error, grown.shown.message, message)
            self._leave()

    def _settle(self, grown: GrowingMessage, message: Message) -> None:
        """It says everything: it has arrived."""
        self._open = None
        receipt = replace(grown.receipt, message=message)
        if self._journal is not None:
            self._journal.seal(self._next_part(), receipt, *self._outbox.progress())
        self._outbox.done()
        self._last = self._pace.now()
        self._rhythm.complete(len(message.content))
        self._log.note_sent(receipt)

    def _next_part(self) -> int:
        self._sender.parts += 1
        return self._sender.parts - 1

    def _leave(self) -> None:
        """End the message that grows with what it says now; what is new of it waits in the outbox."""
        grown = self._open
        if grown is None:
            return
        if self._outbox.find_first() is None and not grown.shown.pieces:
            # Another process began it: what is new of it is known when the plan is complete.
            grown.fixed = True
            return
        self._open, self._coming = None, 0
        if self._outbox.find_first() is None:
            self._drafts.seal_draft(grown.shown.pieces)
        whole = self._outbox.find_first()
        if whole is None:
            return
        self._rhythm.complete(len(grown.shown.message.content))
        rest = rest_of(whole, grown.shown.message)
        receipt = grown.leave()
        lost, rest = (None, rest) if grown.may_repeat else (rest, None)
        self._outbox.replace_first([rest] if rest else [])
        if self._journal is not None:
            until, pieces = self._outbox.progress() if rest else (self._outbox.left, ())
            self._journal.seal(self._next_part(), receipt, until, (rest, *pieces) if rest else ())
        self._log.note_sent(receipt)
        if lost is not None:
            self._log.note_lost(lost, "uncertain")


def _is_refused(error: Exception) -> bool:
    return isinstance(error, Refused | NotAllowed | NoVoice) and not isinstance(error, ChannelGone)
