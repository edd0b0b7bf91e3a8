"""Live delivery: create a message early, edit it while the model writes, finalize it when it is complete.

Complete messages wait in the outbox, as without live delivery. While the outbox is empty, the draft of the
next message is shown: first as a new message, then by edits with the newest text. The first message of the
outbox is then the final text of the live message, and an edit delivers it. Intermediate edits are not
retried; the final one is retried for as long as a new message would be. If a message cannot be edited any
more, the remaining text is sent as a new message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ..._common.text_size import utf8_length
from ..._events import Message, Receipt
from ..._exceptions import (
    ChannelGone,
    DeliveryError,
    DeliveryUncertain,
    MessageRefused,
    NotAllowed,
    WebhookUnavailable,
)
from ..._settings import DISCORD_LIMIT, DISPLAY_BYTES, LIVE_LIMIT, LIVE_LIMIT_BYTES, Person, Settings
from ..clock import DeliveryClock
from ..error_codes import Action
from ..outbox import Outbox
from ..refusals import choose_action
from ..retry import FIRST_PAUSE_S, MAX_PAUSE_S
from ..sender import DeliveryJournal, DeliveryLog, MessageSender, MessageTools
from ..transport import Transport
from .edit_throttle import EDIT_INTERVAL_S, EditThrottle
from .lagging_text import Draft, LaggingText, remaining_after
from .message import (
    CompleteDraft,
    Edits,
    LiveMessage,
    cap_after,
    is_not_editable,
)
from .trailing_images import TrailingImages
from .trailing_question import TrailingQuestion

MIN_FIRST_CHARS = 30
"""A live message starts with at least this many characters: the push notification shows only these."""


class Drafts(DeliveryLog, Protocol):
    """Provides the draft of the next message, and records what becomes of it."""

    def find_draft(self) -> Draft | None:
        """Return the part of the next message that will not change any more."""

    def on_live_started(self, receipt: Receipt) -> None:
        """Record that a live message was created."""

    def finalize_draft(self, pieces: int) -> None:
        """End the next message after `pieces` pieces and put it into the outbox."""


class LiveSender(MessageSender):
    """Send the messages of an outbox, and show drafts of them before they are complete."""

    def __init__(  # noqa: PLR0913
        self,
        transport: Transport,
        outbox: Outbox,
        clock: DeliveryClock,
        log: Drafts,
        tools: MessageTools,
        settings: Settings,
        *,
        typing: bool = True,
        journal: DeliveryJournal | None = None,
        people: Sequence[Person] = (),
    ) -> None:
        super().__init__(
            transport, outbox, clock, log, tools, settings, typing=typing, journal=journal, people=people
        )
        self._drafts = log
        # With notify="last" the end of the answer must be a new message: edits cause no notification.
        self._lagging = LaggingText() if self._notify == "last" else None
        self._settings = settings
        self._edits = Edits(transport, clock, settings, people)
        # The live message that people see now.
        self._live: LiveMessage | None = None
        # Pieces of the draft that is being sent.
        self._pieces_in_flight = 0
        self._throttle = EditThrottle()
        self._length_limit = max(
            DISCORD_LIMIT * 2, settings.message_length
        )  # lowered when Discord refuses an edit as too long
        self._images = TrailingImages(outbox, self._edits, clock, tools.draw, settings)
        self._question = TrailingQuestion(outbox, clock, settings)

    def resume_from(self, part: int, live: Receipt | None = None) -> None:
        """Resume the turn of another process, with its live message if there is one."""
        super().resume_from(part)
        if live is not None:
            self._live = LiveMessage(self._edits, live, CompleteDraft(live.message), confirmed=False)

    @property
    def in_flight(self) -> bool:
        """Whether the first message of the outbox is in flight, or partly visible as a live message."""
        return self._posting or self._live is not None or self._pieces_in_flight > 0

    @property
    def pieces(self) -> int:
        """Pieces in the visible live message; 0 if there is none."""
        if self._outbox.find_first() is not None:
            return 0
        return self._pieces_in_flight or (self._live.shown.pieces if self._live else 0)

    async def run(self) -> None:
        """Send until the outbox is closed and empty."""
        with self._edits.watch() as self._throttle.streams:
            try:
                while await self._wait_for_work():
                    message = self._outbox.find_first()
                    if message is None:
                        await self._show_draft()
                    elif self._live is None and self._is_whole(message):
                        await self._send_whole(message)
                    else:
                        await self._finish_message(message)
            except BaseException:
                self._close_live()
                raise
            finally:
                await self._indicator.cancel()

    # --- Waiting --------------------------------------------------------------------------------

    async def _wait_for_work(self) -> bool:
        """Wait until a message is complete, or its draft is due; false if there will be nothing more."""
        await self._indicator.show_while(self._wait_until_due, first=self._pace.last_sent_at is None)
        return not (self._outbox.closed and self._has_nothing_complete())

    async def _wait_until_due(self, seconds: float | None) -> bool:
        """Wait for work; return false after `seconds` in which nothing was visible and nothing planned."""
        while self._has_nothing_complete() and not self._outbox.closed:
            held = self._is_held()
            wait = None if held else self._until_due()
            if wait == 0:
                return True
            # While a draft grows, people see that somebody writes.
            idle = seconds if held or self._live is None else None
            limit = min((one for one in (wait, idle) if one is not None), default=None)
            if not await self._wait_for_news(limit) and wait is None:
                return False
        return True

    def _has_nothing_complete(self) -> bool:
        """Whether no message can be sent or finalized."""
        return self._outbox.find_first() is None or self._is_held()

    def _is_held(self) -> bool:
        """Whether the first message is visible, and not finalized because a question may follow it."""
        message = self._outbox.find_first()
        return (
            message is not None
            and self._live is not None
            and not self._live.frozen
            and self._live.says(message)
            and self._question.may_follow(message)
            and self._drafts.find_draft() is None
        )

    async def _wait_for_news(self, seconds: float | None) -> bool:
        """Wait for news for at most `seconds`; return whether there were any."""
        news = asyncio.ensure_future(self._outbox.wait_for_any_news())
        over = asyncio.ensure_future(self._clock.sleep(seconds)) if seconds is not None else None
        try:
            await asyncio.wait({news, over} if over else {news}, return_when=asyncio.FIRST_COMPLETED)
            return news.done()
        finally:
            for task in (news, over):
                if task is not None:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)

    def _until_due(self) -> float | None:
        """Return the seconds until the draft may be shown; `None` if there is nothing new to show."""
        draft = self._find_draft()
        if (
            draft is None
            or self._clock.expedited
            or not self._may_send.is_set()
            or self._throttle.is_too_slow
        ):
            return None
        if not self._fits_live(draft.message):
            return None
        if self._live is None:
            length = len(draft.message.content)
            ready = MIN_FIRST_CHARS <= length <= self._sender.limit
            return self._pace.pause(draft.message) if ready else None
        if self._live.frozen or draft.pieces <= self._live.shown.pieces:
            return None
        pause = self._edits.pause(self._live.receipt)
        now = self._clock.now()
        interval = self._throttle.interval(now, len(self._live.shown.message.content))
        return max(0.0, pause, round(self._live.edited_at + interval - now, 6))

    def _find_draft(self) -> Draft | None:
        draft = self._drafts.find_draft()
        return self._lagging.choose(draft) if self._lagging is not None else draft

    # --- On the way -----------------------------------------------------------------------------

    async def _show_draft(self) -> None:
        """Show the current draft."""
        draft = self._find_draft()
        if draft is None or not self._may_send.is_set():
            return
        if self._live is not None and self._edits.is_old(self._live):
            # The rest will be a new message, which may cause a push notification again.
            self._has_notified = False
            self._close_live()
            return
        await self._indicator.cancel()
        self._pieces_in_flight = draft.pieces
        try:
            if self._live is None:
                await self._start_live(draft)
            else:
                await self._edit_draft(self._live, draft)
        finally:
            self._pieces_in_flight = 0

    async def _start_live(self, draft: Draft) -> None:
        async with self._channel_lock(draft.message):
            if not await self._journal_live_start(draft.message):
                return
            outcome = await self._post(draft.message)
        if isinstance(outcome, Receipt):
            self._on_live_started(outcome, draft)
            return
        # It could not be sent as a live message: handle it like any other message.
        whole = self._outbox.find_first()
        if whole is None:
            self._drafts.finalize_draft(draft.pieces)
        else:
            rest = remaining_after(whole, draft.message)
            self._outbox.replace_first([draft.message, *([rest] if rest else [])])
        await self._record_outcome(draft.message, outcome, merged=False)

    async def _journal_live_start(self, message: Message) -> bool:
        """Record in the journal that a live message is about to be created; return whether it still is."""
        if self._journal is None:
            return True
        await self._journal.sending(self._sender.parts, message, self._outbox.left, live=True)
        if not self._may_send.is_set():
            self._journal.cancelled()
        return self._may_send.is_set()

    def _on_live_started(self, receipt: Receipt, draft: Draft) -> None:
        if self._journal is not None:
            self._journal.delivered(receipt)
        self._live = LiveMessage(self._edits, receipt, draft)
        self._throttle.begin(self._live.created_at)
        self._drafts.on_live_started(receipt)

    async def _edit_draft(self, live: LiveMessage, draft: Draft) -> None:
        try:
            await live.edit(draft)
        except ChannelGone:
            raise
        except (DeliveryError, TimeoutError) as error:
            if is_not_editable(error):
                self._close_uneditable(live, error)
            elif isinstance(error, MessageRefused):
                self._length_limit = cap_after(error, live.shown.message, draft.message)

    def _close_uneditable(self, live: LiveMessage, error: DeliveryError) -> None:
        """Close a live message that cannot be edited; the rest will be a new message."""
        live.mark_deleted(error)
        self._close_live()

    # --- Complete -------------------------------------------------------------------------------

    async def _finish_message(self, message: Message) -> None:
        """Give the live message its final text."""
        if self._lagging is not None:
            await self._wait_for_follower()
        await self._may_send.wait()
        if self._outbox.find_first() is not message:
            return
        live = self._live
        if live is None:
            await self._start_long(message)
        elif not (stays := live.frozen or self._edits.is_old(live)) and (
            merged := self._question.join(self._max_chars(message))
        ):
            await self._attach_question(live, *merged)
        elif not stays and (images := self._images.find(message, self._max_chars(message))):
            await self._attach_images(live, message, images)
        elif live.says(message):
            self._mark_delivered(live, message)
        elif not stays and self._question.may_follow(message):
            await self._show_complete(live, message)
        elif stays or (self._lagging is not None and self._is_last and live.confirmed):
            self._has_notified = False
            self._close_live()
        else:
            await self._finalize(live, message)

    async def _send_whole(self, message: Message) -> None:
        """Send a message that is short enough to be created complete."""
        if self._question.may_follow(message) and not message.content.endswith("```"):
            # An edit may bring the question that follows.
            await self._start(message, [message])
            return
        self._question.join(self._sender.limit)
        await self._send_when_due(self._outbox.find_first() or message)

    async def _start_long(self, message: Message) -> None:
        """Start a message that is too long to be created at once; an edit adds the rest."""
        parts = self._tools.resplit(message, self._sender.limit)
        if not self._fits_live(message) or message.files:
            self._outbox.replace_first(parts)
            return
        await self._start(message, parts)

    async def _start(self, message: Message, parts: list[Message]) -> None:
        """Create a live message with the first part of a complete message."""
        await self._pace.wait_for_turn(message)
        async with self._channel_lock(message):
            # A stop may have taken it out meanwhile.
            stays = self._outbox.find_first() is message and self._may_send.is_set()
            if not stays or not await self._journal_live_start(parts[0]):
                return
            outcome = await self._post(parts[0])
        if isinstance(outcome, Receipt):
            self._on_live_started(outcome, CompleteDraft(parts[0]))
        else:
            self._outbox.replace_first(parts)
            await self._record_outcome(parts[0], outcome, merged=False)

    def _is_whole(self, message: Message) -> bool:
        """Whether a message can be created complete: it is short enough, and no image joins it."""
        code = message.content.endswith("```")  # a renderer may turn it into an image
        if len(message.content) > self._sender.limit:
            return False
        return code or not self._images.find(message, self._max_chars(message))

    def _max_chars(self, message: Message) -> int:
        return min(self._length_limit, self._edits.limit(message))

    def _fits_live(self, message: Message) -> bool:
        """Whether an edit can give a live message this text: Discord limits its characters and its bytes."""
        max_chars = self._max_chars(message)
        if max_chars > LIVE_LIMIT:
            # Another platform than Discord.
            return len(message.content) <= max_chars
        available = LIVE_LIMIT_BYTES - DISPLAY_BYTES
        return len(message.content) <= max_chars and utf8_length(message.content) <= available

    async def _attach_images(self, live: LiveMessage, message: Message, images: tuple[Message, ...]) -> None:
        """Finalize it together with the images after it; if that is refused, they become messages."""
        drawn = await self._images.draw((message, *images))
        if drawn and self._may_send.is_set() and (joined := self._images.join((message, *images))):
            await self._finalize(live, joined, drawn)
            self._images.part(joined, (message, *images))

    async def _show_complete(self, live: LiveMessage, message: Message) -> None:
        """Show the final text before the message is finalized: a question may follow, and must not delay it."""
        await self._clock.wait(self._edits.pause(live.receipt))
        if self._outbox.find_first() is message and self._may_send.is_set():
            await self._edit_draft(live, CompleteDraft(message))
            if self._live is live and not live.says(message) and self._outbox.find_first() is message:
                # What went wrong is handled as for any other message.
                await self._finalize(live, message)

    async def _attach_question(
        self, live: LiveMessage, joined: Message, planned: tuple[Message, ...]
    ) -> None:
        """Finalize it together with the question after it; if that is refused, the question becomes a message."""
        if self._journal is not None:
            # A process that is killed from here on has a successor that knows the question.
            await self._journal.flush()
        if self._may_send.is_set():
            await self._finalize(live, joined, joined)
        self._question.part(joined, planned)

    async def _finalize(self, live: LiveMessage, message: Message, drawn: Message | None = None) -> None:
        """Edit until it has its final text or cannot be edited any more."""
        since, failures = self._clock.now(), 0
        while self._outbox.find_first() is message:
            pause = self._edits.pause(live.receipt)
            await self._clock.wait(min(pause, max(0.0, EDIT_INTERVAL_S - self._clock.now() + live.edited_at)))
            try:
                await live.edit(CompleteDraft(drawn or message), last=self._is_last)
            except (DeliveryError, TimeoutError) as error:
                pause = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2.0**failures)
                pause = max(pause, getattr(error, "retry_after", None) or 0.0)
                failures += 1
                if not self._may_retry(error, since, pause):
                    # Discord may accept it without the images.
                    if drawn is None or not (_is_refused(error) and live.confirmed):
                        await self._abandon(live, message, error)
                    return
                await self._clock.sleep(pause)
            else:
                self._mark_delivered(live, message)
                return

    def _may_retry(self, error: Exception, since: float, pause: float) -> bool:
        if isinstance(error, TimeoutError) or (
            self._clock.expedited and self._clock.in_flight_timeout is not None
        ):
            return False
        assert isinstance(error, DeliveryError)
        late = self._clock.now() + pause - since > self._settings.delivery_timeout
        again = isinstance(error, DeliveryUncertain) or choose_action(error) is Action.RETRY
        return again and not late

    async def _abandon(self, live: LiveMessage, message: Message, error: Exception) -> None:
        """Send the text that is not visible yet as a new message, or end the turn."""
        if is_not_editable(error):
            self._close_uneditable(live, error)
        elif not isinstance(error, MessageRefused):
            self._close_live()
            raise (
                error
                if isinstance(error, DeliveryError)
                else DeliveryUncertain("the turn ended during an edit")
            )
        elif choose_action(error) is Action.BLOCKED:
            self._close_live()
            rest = self._outbox.find_first()
            if rest is not None:
                self._outbox.done()
                self._log.record_lost(rest, "blocked")
            await self._send_blocked_notice()
            if self._settings.on_filtered == "stop":
                raise error
        else:
            self._length_limit = cap_after(error, live.shown.message, message)
            self._close_live()

    def _mark_delivered(self, live: LiveMessage, message: Message) -> None:
        """Record that the live message has its final text."""
        self._live = None
        receipt = replace(live.receipt, message=message)
        if self._journal is not None:
            self._journal.finalized(self._next_part(), receipt, *self._outbox.progress())
        self._outbox.done()
        self._pace.last_sent_at = self._clock.now()
        self._throttle.complete(len(message.content))
        self._log.record_sent(receipt)

    def _next_part(self) -> int:
        self._sender.parts += 1
        return self._sender.parts - 1

    def _close_live(self) -> None:
        """Close the live message with its visible text; the rest stays in the outbox."""
        live = self._live
        if live is None:
            return
        if self._outbox.find_first() is None and not live.shown.pieces:
            # Another process started it: the rest is known only when the plan is complete.
            live.frozen = True
            return
        self._live, self._pieces_in_flight = None, 0
        if self._outbox.find_first() is None:
            self._drafts.finalize_draft(live.shown.pieces)
        whole = self._outbox.find_first()
        if whole is None:
            return
        self._throttle.complete(len(live.shown.message.content))
        rest = remaining_after(whole, live.shown.message)
        receipt = live.close()
        lost, rest = (None, rest) if live.may_resend else (rest, None)
        self._outbox.replace_first([rest] if rest else [])
        if self._journal is not None:
            until, pieces = self._outbox.progress() if rest else (self._outbox.left, ())
            self._journal.finalized(self._next_part(), receipt, until, (rest, *pieces) if rest else ())
        self._log.record_sent(receipt)
        if lost is not None:
            self._log.record_lost(lost, "uncertain")


def _is_refused(error: Exception) -> bool:
    return isinstance(error, MessageRefused | NotAllowed | WebhookUnavailable) and not isinstance(
        error, ChannelGone
    )
