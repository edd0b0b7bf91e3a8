"""The message that people see grow: what it says, what it may say, and how and when edits make it say more.

An edit whose answer is lost was made or not. So the message is read back at once: whatever happens to it
next, what people have seen of it is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from ..._errors import DeliveryError, NotAllowed, NoVoice, Refused, Uncertain
from ..._events import Message, Receipt
from ..._settings import DISCORD_LIMIT, Delivering, Settings
from .. import AttachingTransport, EditableTransport, GrowingTransport, Seen
from ..error_codes import ErrorCode
from ..outbox import Pace, seal
from ..retries import pings_of, take_receipt
from .shown_text import Drafted

__all__ = [
    "OLDEST",
    "RHYTHM",
    "Edits",
    "GrowingMessage",
    "Rhythm",
    "WholeMessage",
    "cap_after",
    "for_transport",
    "is_fixed",
]

OLDEST = 55 * 60.0
"""Messages older than an hour may hardly be edited, https://docs.discord.food/resources/message."""
READ_TIMEOUT = 10.0
"""Seconds after which nobody can tell what a message says."""

RHYTHM = 1.25
"""Seconds between two edits of one message while no other message grows in its channel."""
SLOWEST = 1 / 0.3
"""If edits would be rarer than this, only whole messages are shown."""
CALM = 8.0
"""Seconds after which edits are half as many, if people still have so much to read,"""
READING = 25.0
"""at so many characters in a second."""

_FIXED = frozenset({ErrorCode.TOO_MANY_EDITS, ErrorCode.UNKNOWN_MESSAGE})


def for_transport(settings: Settings, transport: object, *, show: bool = True) -> Settings:
    """The settings that a transport can serve: one that cannot edit is sent bubbles."""
    if settings.delivery == "bubbles":
        return settings
    if not show or not isinstance(transport, GrowingTransport | EditableTransport):
        return replace(settings, delivery="bubbles")
    if not isinstance(transport, GrowingTransport):
        return replace(settings, live_limit=DISCORD_LIMIT)
    return settings


class WholeMessage:
    """A message that is complete, as a draft."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.pieces = 0


class Edits:
    """Edits messages of a transport, as well as it can."""

    def __init__(self, transport: object, pace: Pace, settings: Delivering) -> None:
        self._editable = transport
        self._growing = transport if isinstance(transport, GrowingTransport) else None
        self._attaching = transport if isinstance(transport, AttachingTransport) else None
        self._settings = settings
        self.pace = pace

    async def make(self, receipt: Receipt, message: Message, *, last: bool = False) -> Receipt:
        """Make a message say this; `TimeoutError` if a hurried turn has no time left for it."""
        if self._growing is None:
            assert isinstance(self._editable, EditableTransport)
            return await take_receipt(self._editable.edit, receipt, message.content)
        pings = pings_of(message, self._settings)
        parcel = seal("", 0, message, pings, previews=self._settings.previews == "auto", last=last)
        return await self.pace.in_time(take_receipt(self._growing.revise, receipt, parcel))

    async def read(self, receipt: Receipt) -> Seen | None:
        """A message as it is now; `None` if nobody can tell."""
        if self._growing is None:
            return None
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                return await self._growing.read_growth(receipt)
        except TimeoutError:
            return None

    def pause(self, receipt: Receipt) -> float:
        """Seconds until the rate limit allows an edit."""
        return self._growing.edit_pause(receipt) if self._growing else 0.0

    def limit(self, message: Message) -> int:
        """Characters up to which a message like this can be made to grow."""
        return self._growing.growth_limit(message) if self._growing else DISCORD_LIMIT

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message like this may bring files."""
        return self._attaching is not None and self._attaching.may_attach(message)

    def watch(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more message that grows in this channel."""
        return self._growing.watch_growth() if self._growing else nullcontext(_alone)

    def is_old(self, grown: GrowingMessage) -> bool:
        """Whether it is too old to be edited, or so old that people would not notice."""
        return self.pace.now() - grown.born > min(self._settings.fresh_after or OLDEST, OLDEST)


class Rhythm:
    """The time between the edits of one answer."""

    def __init__(self) -> None:
        self.streams: Callable[[], int] = lambda: 1
        """How many messages grow in the channel."""
        self._began: float | None = None
        self._complete = 0

    def begin(self, now: float) -> None:
        """A message appears."""
        self._began = now if self._began is None else self._began

    def complete(self, length: int) -> None:
        """A message of so many characters is complete."""
        self._complete += length

    @property
    def is_too_slow(self) -> bool:
        """Whether so many messages grow here that whole ones serve people better."""
        return self._gap > SLOWEST

    @property
    def _gap(self) -> float:
        return RHYTHM * self.streams()

    def beat(self, now: float, shown: int) -> float:
        """Seconds between two edits, now that so many characters of a message are shown."""
        age = now - (self._began or now)
        unread = min(age, (self._complete + shown) / READING - age)
        return min(self._gap * (1 + max(0.0, unread) / CALM), SLOWEST)


@dataclass(slots=True)
class GrowingMessage:
    """The message that people see grow."""

    edits: Edits
    receipt: Receipt
    shown: Drafted
    sure: bool = True
    """Whether it certainly says what `shown` says,"""
    wanted: list[Drafted] = field(default_factory=list)
    """and what else it may say."""
    fixed: bool = False
    """Whether it stays as it is."""
    born: float = field(init=False)
    touched: float = field(init=False)

    def __post_init__(self) -> None:
        self.born = self.touched = self.edits.pace.now()
        self._note_frame()

    def _note_frame(self) -> None:
        after = round(self.edits.pace.now() - self.born, 3)
        frames = (*self.receipt.frames, (after, len(self.shown.message.content)))
        self.receipt = replace(self.receipt, frames=frames)

    def says(self, message: Message) -> bool:
        """Whether it certainly says just this, and shows as many pictures."""
        shown = self.shown.message
        return self.sure and shown.content == message.content and len(shown.files) == len(message.files)

    async def say(self, draft: Drafted, *, last: bool = False) -> None:
        """Make it say this; raises why it does not, as far as anybody can tell."""
        try:
            changed = await self.edits.make(self.receipt, draft.message, last=last)
        except asyncio.CancelledError:
            self.sure = False
            raise
        except (DeliveryError, TimeoutError) as error:
            if isinstance(error, Uncertain | TimeoutError):
                self.sure = False
                self.wanted.append(draft)
            if not self.sure:
                await self._read()
            if not self.says(draft.message):
                raise
        else:
            self.receipt = replace(self.receipt, changes=changed.changes)
            self.shown, self.sure = draft, True
            self.wanted.clear()
            self._note_frame()
        finally:
            self.touched = self.edits.pace.now()

    async def _read(self) -> None:
        """Find out which of the edits whose answers were lost was made."""
        seen = await self.edits.read(self.receipt)
        news = {"v2": seen.rich, "card": seen.rich and seen.files} if seen else {}
        self._note_changes(*(name for name, is_so in news.items() if is_so))
        found = (one for one in (*self.wanted, self.shown) if seen and _is_seen(one.message, seen))
        if (shown := next(found, None)) is not None:
            self.shown, self.sure = shown, True
            self.wanted.clear()
            self._note_frame()

    def _note_changes(self, *changes: str) -> None:
        """Note in the receipt how it differs from what was planned."""
        self.receipt = replace(self.receipt, changes=tuple(dict.fromkeys((*self.receipt.changes, *changes))))

    def leave(self) -> Receipt:
        """The receipt of what it says now, as far as anybody knows."""
        if not self.sure:
            self._note_changes("unsure")
        return replace(self.receipt, message=self.shown.message)

    @property
    def may_repeat(self) -> bool:
        """Whether nobody sees any words but those that were shown: they are known, or all are deleted."""
        return self.sure or "deleted" in self.receipt.changes

    def note_deleted(self, error: DeliveryError) -> None:
        """Note in the receipt if somebody has deleted it."""
        if isinstance(error, Refused) and error.code == ErrorCode.UNKNOWN_MESSAGE:
            self._note_changes("deleted")


def _is_seen(message: Message, seen: Seen) -> bool:
    return seen.content == message.content.strip() and seen.files == len(message.files)


def is_fixed(error: Exception) -> TypeGuard[DeliveryError]:
    """Whether the message cannot be changed any more."""
    return isinstance(error, NotAllowed | NoVoice) or (isinstance(error, Refused) and error.code in _FIXED)


def cap_after(error: Refused, shown: Message, wanted: Message) -> int:
    """How long a message may grow, now that Discord has refused this."""
    plain = DISCORD_LIMIT if len(wanted.content) > DISCORD_LIMIT else len(shown.content)
    return min(error.limit or plain, plain)


def _alone() -> int:
    return 1
