"""Gets one message accepted: tries again with the same key, or in a shape that Discord takes.

Tries are bounded, in number by what a message can lose and in time by `delivery_timeout`; what cannot be
delivered is reported, never dropped in silence.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from random import Random
from typing import ParamSpec, TypeAlias, TypeVar

from .._errors import DeliveryError, Refused, Unavailable, Uncertain
from .._events import Attachment, Message, Receipt
from .._settings import DISCORD_LIMIT, Delivering
from . import ReliableTransport, Transport
from .error_codes import Action, choose_action
from .outbox import Pace, Parcel, Pings, seal

__all__ = [
    "Lost",
    "Outcome",
    "Resplit",
    "RetryingSender",
    "call_async",
    "is_card",
    "pings_of",
    "take_receipt",
]

P = ParamSpec("P")
T = TypeVar("T")

Resplit: TypeAlias = Callable[[Message, int], list[Message]]
"""The message as several, each of at most so many characters."""

LEAST_PAUSE, FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.5, 30.0
"""Pauses between tries double from the first to the longest."""
SAFE_WINDOW = 60.0
"""Discord remembers a nonce for "the past few minutes"; nothing is sent again blindly after this long."""
LEAST = 32
"""Shorter messages than this are not tried."""

# Only the length of pauses is drawn, so that many turns do not come back at the same moment.
_random = Random()

_MENTION = re.compile(r"<@!?([0-9]{1,20})>")


@dataclass(frozen=True, slots=True)
class Lost:
    """A message that was not delivered, or perhaps not; an `error` ends the turn."""

    reason: str
    error: DeliveryError | None = None


Outcome: TypeAlias = Receipt | Lost | list[Message]
"""It arrived, it is lost, or these messages are to be sent in its place."""


@dataclass(slots=True)
class _Pending:
    """One message while it is being sent: what was changed in it, and how often it failed."""

    message: Message
    part: int
    since: float
    changes: list[str] = field(default_factory=list)
    failures: int = 0
    silent: bool = False
    last: bool = False
    card: bool = False
    doubt_since: float | None = None


class RetryingSender:
    """Sends the messages of one turn, one at a time, each until it is accepted or given up."""

    def __init__(
        self,
        transport: Transport,
        pace: Pace,
        settings: Delivering,
        resplit: Resplit,
        turn: str | None = None,
    ) -> None:
        self._transport = transport
        # Asked once, since such a question is slow.
        self.reliable = transport if isinstance(transport, ReliableTransport) else None
        """The transport, if it can repeat a message without doubling it."""
        self._pace = pace
        self._settings = settings
        self._resplit = resplit
        self._turn = turn or secrets.token_hex(8)
        self.parts = 0
        """The number of the next message; with the turn it makes the key."""
        self._limit = DISCORD_LIMIT
        self._replies = self._cards = True

    @property
    def limit(self) -> int:
        """How many characters Discord takes in one message, as far as we know."""
        return self._limit

    async def post(self, message: Message, *, silent: bool = False, last: bool = False) -> Outcome:
        """Send a message and return what became of it; for a `silent` one no phone rings."""
        if self.reliable is None:
            return await take_receipt(self._transport.send, message)
        if len(message.content) > self._limit:
            return self._resplit(message, self._limit)
        pending = _Pending(message, self.parts, self._pace.now(), silent=silent, last=last)
        as_card = self._is_named(message) or is_card(message, self._settings, silent=silent)
        pending.card = self._cards and as_card
        self.parts += 1
        if not self._replies and message.reply:
            self._drop_reply(pending)
        while True:
            try:
                receipt = await self._attempt(self.reliable, pending)
            except DeliveryError as error:
                outcome = await self._react(self.reliable, pending, error)
                if outcome is not None:
                    return outcome
            else:
                return replace(receipt, changes=(*receipt.changes, *pending.changes))

    async def _attempt(self, transport: ReliableTransport, pending: _Pending) -> Receipt:
        try:
            return await self._pace.in_time(take_receipt(transport.deliver, self._parcel(pending)))
        except TimeoutError:
            raise Uncertain("the turn ended while the message was in flight") from None

    def _parcel(self, pending: _Pending) -> Parcel:
        pings = pings_of(pending.message, self._settings)
        previews = self._settings.previews == "auto"
        return seal(
            self._turn,
            pending.part,
            pending.message,
            pings,
            previews=previews,
            silent=pending.silent,
            last=pending.last,
            card=pending.card,
            named=pending.card and self._is_named(pending.message),
        )

    def _is_named(self, message: Message) -> bool:
        """Whether a message carries a number of its own: it has no key, since a webhook says it."""
        wanted = self._settings.webhook_identity == "component" and bool(message.content)
        return wanted and message.speaker is not None and bool(getattr(self._transport, "has_voices", False))

    async def _react(
        self, transport: ReliableTransport, pending: _Pending, error: DeliveryError
    ) -> Outcome | None:
        """Act on an error: the outcome, or `None` if the message is to be tried again."""
        match choose_action(error):
            case Action.RETRY:
                return await self._pause(transport, pending, error)
            case Action.REPORT:
                return Lost("uncertain")
            case Action.ARRIVED:
                return Receipt(pending.message, 0, changes=(*pending.changes, "deleted"))
            case Action.SKIP:
                return Lost("empty")
            case Action.BLOCKED:
                return Lost("blocked", error if self._settings.blocked == "stop" else None)
            case Action.GIVE_UP:
                raise error
            case shape:
                return self._reshape(pending, shape, error)

    def _reshape(self, pending: _Pending, action: Action, error: DeliveryError) -> list[Message] | None:
        """Take out what Discord refused: frame, files, reply; raises the error if none is left."""
        message = pending.message
        if action is Action.DEGRADE and pending.card:
            # The same as a plain message, and so are later ones.
            pending.card = self._cards = False
            return None
        if action is Action.RESPLIT and len(message.content) > LEAST:
            return self._shorten(message, error)
        if action in {Action.NO_FILES, Action.DEGRADE} and message.files:
            words = message.fallback or message.content or _names(message)
            plain = replace(message, content=words, files=(), fallback=None)
            return self._resplit(plain, self._limit)
        if action in {Action.NO_REPLY, Action.DEGRADE} and message.reply:
            self._replies = action is not Action.NO_REPLY
            self._drop_reply(pending)
            return None
        raise error

    def _shorten(self, message: Message, error: DeliveryError) -> list[Message]:
        """Split into messages as short as Discord said, or a quarter shorter; so are later ones."""
        told = error.limit if isinstance(error, Refused) else None
        length = len(message.content)
        # A name in front counts too, so what is short enough by Discord's word may still be refused.
        self._limit = max(LEAST, told if told and told < length else length * 3 // 4)
        return self._resplit(message, self._limit)

    def _drop_reply(self, pending: _Pending) -> None:
        pending.message = replace(pending.message, reply=False)
        pending.changes.append("no_reply")

    async def _pause(
        self, transport: ReliableTransport, pending: _Pending, error: DeliveryError
    ) -> Outcome | None:
        """Wait before the next try, or settle the outcome if there is no time for one."""
        now = self._pace.now()
        if isinstance(error, Uncertain):
            pending.doubt_since = pending.doubt_since if pending.doubt_since is not None else now
        pause = self._backoff(pending.failures, error)
        pending.failures += 1
        left = pending.since + self._settings.delivery_timeout - now
        if pause > left or (self._pace.hurried and self._pace.patience is not None):
            return await self._settle(transport, pending, error)
        await self._pace.wait(pause) if not self._pace.hurried else await self._pace.sleep(pause)
        return await self._look(transport, pending) if pending.doubt_since is not None else None

    def _backoff(self, failures: int, error: DeliveryError) -> float:
        if isinstance(error, Unavailable) and error.retry_after is not None:
            # The rest of a float may be no time at all, and then nothing would ever change.
            return max(error.retry_after, LEAST_PAUSE)
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 10))
        return pause * _random.uniform(0.75, 1.0)

    async def _settle(self, transport: ReliableTransport, pending: _Pending, error: DeliveryError) -> Outcome:
        """Make no more tries: find out whether the message arrived after all."""
        if pending.doubt_since is None:
            raise error
        pending.doubt_since = float("-inf")
        return await self._look(transport, pending) or Lost("undelivered", error)

    async def _look(self, transport: ReliableTransport, pending: _Pending) -> Outcome | None:
        """Look for the message in the channel; `None` if it may be sent again.

        Where the channel cannot be read, the key must do, for as long as Discord surely remembers it.
        """
        try:
            found = await transport.find(self._parcel(pending))
        except DeliveryError as error:
            assert pending.doubt_since is not None
            return Lost("uncertain", error) if self._pace.now() - pending.doubt_since > SAFE_WINDOW else None
        pending.doubt_since = None
        return replace(found, changes=(*found.changes, *pending.changes)) if found else None


async def take_receipt(method: Callable[P, Awaitable[Receipt]], *given: P.args, **more: P.kwargs) -> Receipt:
    """Call a transport's method for its receipt; one that gives none is told what to write."""
    receipt = await call_async(method, *given, **more)
    if not isinstance(receipt, Receipt):
        advice = "return a Receipt, for example `return Receipt(message, id=sent.id)`"
        raise TypeError(f"{_name(method)} returned {type(receipt).__qualname__}: {advice}")
    return receipt


async def call_async(method: Callable[P, Awaitable[T]], *given: P.args, **more: P.kwargs) -> T:
    """Call a transport's method; one that is not async is told so, in words for who wrote it."""
    answer = method(*given, **more)
    if not isawaitable(answer):
        name = _name(method)
        raise TypeError(f"{name} is not async: write `async def {name.rpartition('.')[2]}`")
    return await answer


def _name(method: Callable[..., object]) -> str:
    """The name of a method and its class, without the function that they are written in."""
    return str(getattr(method, "__qualname__", method)).rpartition("<locals>.")[2]


def is_card(message: Message, settings: Delivering, *, silent: bool) -> bool:
    """Whether a message is sent as one of Components V2; never if its push notification needs its words."""
    if not (silent or not message.content):
        return False
    if message.notice:
        return settings.notices == "card"
    return any(isinstance(file, Attachment) and file.rows for file in message.files)


def pings_of(message: Message, settings: Delivering) -> Pings:
    """Whom a message may notify according to the settings."""
    match settings.mentions:
        case "users" | "users_and_roles":
            users: bool | tuple[int, ...] = True
        case "resolved":
            known = {person.id for person in settings.people}
            named = (int(found) for found in _MENTION.findall(message.content))
            users = tuple(dict.fromkeys(user for user in named if user in known))
        case _:
            users = ()
    return Pings(users, settings.mentions == "users_and_roles", settings.reply_ping)


def _names(message: Message) -> str:
    return "-# " + ", ".join(file.name for file in message.files)
