"""The live message: its visible text, and the edits that extend it.

An edit whose response is lost may or may not have been applied. So the message is fetched at once: the
visible text must be known before anything else happens to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from ..._events import Message, Receipt
from ..._exceptions import DeliveryError, DeliveryUncertain, MessageRefused, NotAllowed, WebhookUnavailable
from ..._settings import DISCORD_LIMIT, Person, Settings
from ..clock import DeliveryClock
from ..error_codes import ErrorCode
from ..outgoing import build_outgoing
from ..retry import allowed_mentions_for, call_for_receipt
from ..transport import AttachingTransport, EditableTransport, FetchedMessage, LiveTransport
from .lagging_text import Draft

MAX_EDIT_AGE_S = 55 * 60.0
"""Seconds after which a message is not edited any more.

Discord limits edits of messages older than an hour much more strictly (error 30046),
https://docs.discord.food/resources/message.
"""
READ_TIMEOUT_S = 10.0
"""Seconds to wait for the message when it is fetched."""

_NOT_EDITABLE = frozenset({ErrorCode.TOO_MANY_EDITS, ErrorCode.UNKNOWN_MESSAGE})


def for_transport(settings: Settings, transport: object, *, show: bool = True) -> Settings:
    """Return the settings that a transport supports.

    One that cannot edit gets complete messages, one that takes no files gets tables and the rest of a long answer
    as text, and one with a limit gets no longer messages.
    """
    limit = getattr(transport, "message_limit", None)
    if limit is not None and settings.message_length > limit:
        settings = replace(settings, message_length=limit)
    if show and not getattr(transport, "takes_files", False):
        tables = settings.tables if settings.tables == "off" else "code"
        settings = replace(settings, tables=tables, diagrams="code", formulas="code", rest_as_file=False)
    if settings.delivery == "messages":
        return settings
    if not show or not isinstance(transport, LiveTransport | EditableTransport):
        return replace(settings, delivery="messages")
    if not isinstance(transport, LiveTransport):
        return replace(settings, live_limit=DISCORD_LIMIT)
    return settings


class CompleteDraft:
    """A complete message in the form of a draft."""

    def __init__(self, message: Message) -> None:
        self.message = message
        # Complete messages are not counted in pieces of the planner.
        self.pieces = 0


class Edits:
    """Edit messages through a transport with the best method it has."""

    def __init__(
        self,
        transport: object,
        clock: DeliveryClock,
        settings: Settings,
        people: Sequence[Person] = (),
    ) -> None:
        self._transport = transport
        self._live_transport = transport if isinstance(transport, LiveTransport) else None
        self._attaching_transport = transport if isinstance(transport, AttachingTransport) else None
        self._settings = settings
        # The people who may be mentioned if `mentions` is `resolved`.
        self._people = people
        self.clock = clock

    async def make(self, receipt: Receipt, message: Message, *, last: bool = False) -> Receipt:
        """Set the text of a message; raise `TimeoutError` if an expedited turn has no time left."""
        if self._live_transport is None:
            assert isinstance(self._transport, EditableTransport)
            return await call_for_receipt(self._transport.edit_content, receipt, message.content)
        allowed_mentions = allowed_mentions_for(message, self._settings, self._people)
        outgoing = build_outgoing(
            "", 0, message, allowed_mentions, previews=self._settings.previews == "auto", last=last
        )
        return await self.clock.with_deadline(
            call_for_receipt(self._live_transport.edit_message, receipt, outgoing)
        )

    async def read(self, receipt: Receipt) -> FetchedMessage | None:
        """Fetch a message; return `None` if it cannot be read."""
        if self._live_transport is None:
            return None
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self._live_transport.fetch_live(receipt)
        except TimeoutError:
            return None

    def pause(self, receipt: Receipt) -> float:
        """Return the seconds until the rate limit allows an edit."""
        return self._live_transport.edit_pause(receipt) if self._live_transport else 0.0

    def limit(self, message: Message) -> int:
        """Return how many characters a live message of this kind may have."""
        if self._live_transport is None:
            return max(DISCORD_LIMIT, self._settings.message_length)
        return self._live_transport.live_length_limit(message)

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message of this kind may add files."""
        return self._attaching_transport is not None and self._attaching_transport.may_attach(message)

    def watch(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more live message in this channel while the context is open."""
        return self._live_transport.track_live() if self._live_transport else nullcontext(_one_live_message)

    def is_old(self, live: LiveMessage) -> bool:
        """Whether it is too old to be edited, or so old that readers would miss the edit."""
        return self.clock.now() - live.created_at > min(
            self._settings.live_message_max_age or MAX_EDIT_AGE_S, MAX_EDIT_AGE_S
        )


@dataclass(slots=True)
class LiveMessage:
    """The message that is edited while the model writes.

    `confirmed` and `frozen` are independent: a message of unknown text may be frozen.
    """

    edits: Edits
    receipt: Receipt
    shown: Draft
    """The last text that is known to be visible."""
    confirmed: bool = True
    """Whether the visible text is certainly `shown`; false after an edit whose response was lost."""
    unconfirmed_edits: list[Draft] = field(default_factory=list)
    """Edits whose response was lost, oldest first; empty while `confirmed`."""
    frozen: bool = False
    """Whether it must not be edited any more."""
    created_at: float = field(init=False)
    edited_at: float = field(init=False)
    """Time of the last attempt to edit it."""

    def __post_init__(self) -> None:
        self.created_at = self.edited_at = self.edits.clock.now()
        self._record_frame()

    def _record_frame(self) -> None:
        after = round(self.edits.clock.now() - self.created_at, 3)
        frames = (*self.receipt.frames, (after, len(self.shown.message.content)))
        self.receipt = replace(self.receipt, frames=frames)

    def says(self, message: Message) -> bool:
        """Whether it certainly has this text and as many files."""
        shown = self.shown.message
        return self.confirmed and shown.content == message.content and len(shown.files) == len(message.files)

    async def edit(self, draft: Draft, *, last: bool = False) -> None:
        """Set its text; raise the error if the edit was not applied, as far as is known."""
        try:
            changed = await self.edits.make(self.receipt, draft.message, last=last)
        except asyncio.CancelledError:
            self.confirmed = False
            raise
        except (DeliveryError, TimeoutError) as error:
            if isinstance(error, DeliveryUncertain | TimeoutError):
                self.confirmed = False
                self.unconfirmed_edits.append(draft)
            if not self.confirmed:
                await self._read()
            if not self.says(draft.message):
                raise
        else:
            self.receipt = replace(self.receipt, changes=changed.changes)
            self.shown, self.confirmed = draft, True
            self.unconfirmed_edits.clear()
            self._record_frame()
        finally:
            self.edited_at = self.edits.clock.now()

    async def _read(self) -> None:
        """Fetch it and find out which of the unconfirmed edits was applied."""
        seen = await self.edits.read(self.receipt)
        news = {"v2": seen.rich, "card": seen.rich and seen.files} if seen else {}
        self._add_changes(*(name for name, is_so in news.items() if is_so))
        found = (one for one in (*self.unconfirmed_edits, self.shown) if seen and _matches(one.message, seen))
        if (shown := next(found, None)) is not None:
            self.shown, self.confirmed = shown, True
            self.unconfirmed_edits.clear()
            self._record_frame()

    def _add_changes(self, *changes: str) -> None:
        """Record in the receipt how it differs from the plan."""
        self.receipt = replace(self.receipt, changes=tuple(dict.fromkeys((*self.receipt.changes, *changes))))

    def close(self) -> Receipt:
        """Return the receipt of the visible text, as far as it is known."""
        if not self.confirmed:
            self._add_changes("unsure")
        return replace(self.receipt, message=self.shown.message)

    @property
    def may_resend(self) -> bool:
        """Whether the remaining text may be sent: the visible text is known, or the message was deleted."""
        return self.confirmed or "deleted" in self.receipt.changes

    def mark_deleted(self, error: DeliveryError) -> None:
        """Record in the receipt if the message was deleted."""
        if isinstance(error, MessageRefused) and error.code == ErrorCode.UNKNOWN_MESSAGE:
            self._add_changes("deleted")


def _matches(message: Message, seen: FetchedMessage) -> bool:
    return seen.content == message.content.strip() and seen.files == len(message.files)


def is_not_editable(error: Exception) -> TypeGuard[DeliveryError]:
    """Whether an error means that the message cannot be edited any more."""
    return isinstance(error, NotAllowed | WebhookUnavailable) or (
        isinstance(error, MessageRefused) and error.code in _NOT_EDITABLE
    )


def cap_after(error: MessageRefused, shown: Message, wanted: Message) -> int:
    """Return the length limit of a live message after Discord has refused an edit."""
    plain = DISCORD_LIMIT if len(wanted.content) > DISCORD_LIMIT else len(shown.content)
    return min(error.limit or plain, plain)


def _one_live_message() -> int:
    return 1
