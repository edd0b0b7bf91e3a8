"""Send one message with retries: again with the same key, or in a form that Discord accepts.

Retries are bounded in time by `delivery_timeout`, and reshaping by what a message can lose, see `refusals.py`.
A message that cannot be delivered is reported, never dropped silently.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from inspect import isawaitable
from random import Random
from typing import ParamSpec, TypeAlias, TypeVar

from .._events import Attachment, Message, Receipt
from .._exceptions import DeliveryError, DeliveryUnavailable, DeliveryUncertain
from .._settings import DISCORD_LIMIT, Person, Settings
from .clock import DeliveryClock
from .error_codes import Action
from .outgoing import AllowedMentions, OutgoingMessage, build_outgoing
from .refusals import AcceptedForm, PendingMessage, Resplit, choose_action
from .transport import ReliableTransport, Transport

P = ParamSpec("P")
T = TypeVar("T")

MIN_PAUSE_S, FIRST_PAUSE_S, MAX_PAUSE_S = 0.01, 0.5, 30.0
"""Pauses between attempts double from the first up to the maximum."""
QUICK_RETRIES = 4
"""Attempts after which the pause that Discord asks for is lengthened."""
NONCE_WINDOW_S = 60.0
"""Seconds for which a message of unknown outcome may be sent again without looking for it first.

Discord checks a nonce against "the past few minutes" only
(https://docs.discord.com/developers/resources/message#create-message).
"""

# Jitter for pauses, so that many turns do not retry at the same moment.
_random = Random()

_MENTION = re.compile(r"<@!?([0-9]{1,20})>")


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A message that was not delivered, or whose outcome is unknown; an `error` ends the turn."""

    reason: str
    error: DeliveryError | None = None


Outcome: TypeAlias = Receipt | Undelivered | list[Message]
"""It was delivered, it was not, or these messages are to be sent in its place."""


class RetryingSender:
    """Send the messages of one turn, one at a time, each until it is accepted or given up."""

    def __init__(
        self,
        transport: Transport,
        clock: DeliveryClock,
        settings: Settings,
        resplit: Resplit,
        turn: str | None = None,
        people: Sequence[Person] = (),
    ) -> None:
        self._transport = transport
        # Checked once, because `isinstance` with a protocol is slow.
        self.reliable = transport if isinstance(transport, ReliableTransport) else None
        """The transport, if it can repeat a message without duplicating it."""
        self._clock = clock
        self._settings = settings
        self._resplit = resplit
        # The people who may be mentioned if `mentions` is `resolved`.
        self._people = people
        # People whom an earlier message of this turn has notified: one answer notifies a user only once.
        self._notified: set[int] = set()
        # Id of the turn; part of every key.
        self._turn = turn or secrets.token_hex(8)
        self.parts = 0
        """Number of the next message; part of its key."""
        # What Discord accepts in this turn, as far as its refusals have shown.
        self._accepted = AcceptedForm(resplit, max(DISCORD_LIMIT, settings.message_length))

    @property
    def limit(self) -> int:
        """Characters that Discord accepts in one message, as far as is known."""
        return self._accepted.limit

    async def send(self, message: Message, *, silent: bool = False, last: bool = False) -> Outcome:
        """Send a message and return the outcome; a `silent` message causes no push notification."""
        if self.reliable is None:
            # A plain transport is called once: repeating the call could duplicate the message.
            return await call_for_receipt(self._transport.send, message)
        if len(message.content) > self.limit:
            return self._resplit(message, self.limit)
        pending = PendingMessage(message, self.parts, self._clock.now(), silent=silent, last=last)
        as_card = self._is_tagged(message) or is_card(message, self._settings, silent=silent)
        pending.card = self._accepted.cards and as_card
        self.parts += 1
        if not self._accepted.replies and message.reply:
            pending.drop_reply()
        while True:
            try:
                receipt = await self._attempt(self.reliable, pending)
            except DeliveryError as error:
                outcome = await self._handle_error(self.reliable, pending, error)
                if outcome is not None:
                    # It may have arrived; messages that are sent in its place notify people as it would have.
                    if not isinstance(outcome, list):
                        self._remember_notified(pending)
                    return outcome
            else:
                self._remember_notified(pending)
                return replace(receipt, changes=(*receipt.changes, *pending.changes))

    async def _attempt(self, transport: ReliableTransport, pending: PendingMessage) -> Receipt:
        try:
            return await self._clock.with_deadline(
                call_for_receipt(transport.deliver, self._build_outgoing(pending))
            )
        except TimeoutError:
            raise DeliveryUncertain("the turn ended while the message was in flight") from None

    def _build_outgoing(self, pending: PendingMessage) -> OutgoingMessage:
        allowed_mentions = allowed_mentions_for(pending.message, self._settings, self._people, self._notified)
        previews = self._settings.previews == "auto"
        return build_outgoing(
            self._turn,
            pending.part,
            pending.message,
            allowed_mentions,
            previews=previews,
            silent=pending.silent,
            last=pending.last,
            card=pending.card,
            tagged=pending.card and self._is_tagged(pending.message),
            reply_notice=self._settings.reply_notice,
        )

    def _remember_notified(self, pending: PendingMessage) -> None:
        if not pending.silent:
            self._notified.update(_mentioned_in(pending.message))

    def _is_tagged(self, message: Message) -> bool:
        """Whether a message carries a tag: messages of webhooks have no nonce."""
        wanted = self._settings.webhook_identity == "component" and bool(message.content)
        return (
            wanted and message.speaker is not None and bool(getattr(self._transport, "has_webhooks", False))
        )

    async def _handle_error(
        self, transport: ReliableTransport, pending: PendingMessage, error: DeliveryError
    ) -> Outcome | None:
        """React to an error; return the outcome, or `None` to try again."""
        match choose_action(error):
            case Action.RETRY:
                return await self._pause(transport, pending, error)
            case Action.REPORT:
                return Undelivered("uncertain")
            case Action.ARRIVED:
                return Receipt(pending.message, 0, changes=(*pending.changes, "deleted"))
            case Action.SKIP:
                return Undelivered("empty")
            case Action.BLOCKED:
                return Undelivered("blocked", error if self._settings.on_filtered == "stop" else None)
            case Action.GIVE_UP:
                raise error
            case shape:
                return self._accepted.reshape(pending, shape, error)

    async def _pause(
        self, transport: ReliableTransport, pending: PendingMessage, error: DeliveryError
    ) -> Outcome | None:
        """Wait before the next attempt, or resolve the outcome if there is no time for one."""
        now = self._clock.now()
        if isinstance(error, DeliveryUncertain):
            pending.uncertain_since = pending.uncertain_since if pending.uncertain_since is not None else now
        pause = self._backoff(pending.failures, error)
        pending.failures += 1
        left = pending.since + self._settings.delivery_timeout - now
        if pause > left or (self._clock.expedited and self._clock.in_flight_timeout is not None):
            return await self._resolve(transport, pending, error)
        await self._clock.wait(pause) if not self._clock.expedited else await self._clock.sleep(pause)
        return (
            await self._find_in_channel(transport, pending) if pending.uncertain_since is not None else None
        )

    def _backoff(self, failures: int, error: DeliveryError) -> float:
        if isinstance(error, DeliveryUnavailable) and error.retry_after is not None:
            # A pause rounded down to zero would retry in a busy loop, and a limit that always asks for a short pause
            # is not asked at that pace for ever.
            growing_pause = (
                FIRST_PAUSE_S * 2.0 ** min(failures - QUICK_RETRIES, 5) if failures > QUICK_RETRIES else 0.0
            )
            return max(error.retry_after, growing_pause, MIN_PAUSE_S)
        pause = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(failures, 10))
        return pause * _random.uniform(0.75, 1.0)

    async def _resolve(
        self, transport: ReliableTransport, pending: PendingMessage, error: DeliveryError
    ) -> Outcome:
        """Stop retrying and find out whether the message arrived after all."""
        if pending.uncertain_since is None:
            raise error
        pending.uncertain_since = float("-inf")
        return await self._find_in_channel(transport, pending) or Undelivered("undelivered", error)

    async def _find_in_channel(self, transport: ReliableTransport, pending: PendingMessage) -> Outcome | None:
        """Look for the message in the channel; return `None` if it may be sent again.

        If the channel cannot be read, the nonce alone prevents duplicates while Discord remembers it.
        """
        try:
            found = await transport.find(self._build_outgoing(pending))
        except DeliveryError as error:
            assert pending.uncertain_since is not None
            return (
                Undelivered("uncertain", error)
                if self._clock.now() - pending.uncertain_since > NONCE_WINDOW_S
                else None
            )
        pending.uncertain_since = None
        return replace(found, changes=(*found.changes, *pending.changes)) if found else None


async def call_for_receipt(
    method: Callable[P, Awaitable[Receipt]], *given: P.args, **more: P.kwargs
) -> Receipt:
    """Call a transport's method and return its receipt; raise a helpful `TypeError` if it returns none."""
    receipt = await call_async(method, *given, **more)
    if not isinstance(receipt, Receipt):
        advice = "return a Receipt, for example `return Receipt(message, id=sent.id)`"
        raise TypeError(f"{_name(method)} returned {type(receipt).__qualname__}: {advice}")
    return receipt


async def call_async(method: Callable[P, Awaitable[T]], *given: P.args, **more: P.kwargs) -> T:
    """Call a transport's method; raise a helpful `TypeError` if it is not async."""
    answer = method(*given, **more)
    if not isawaitable(answer):
        name = _name(method)
        raise TypeError(f"{name} is not async: write `async def {name.rpartition('.')[2]}`")
    return await answer


def _name(method: Callable[..., object]) -> str:
    """Return the name of a method and its class, without an enclosing function."""
    return str(getattr(method, "__qualname__", method)).rpartition("<locals>.")[2]


def is_card(message: Message, settings: Settings, *, silent: bool) -> bool:
    """Whether to send a message as Components V2; mostly not if its push notification needs the text."""
    if any(isinstance(file, Attachment) and file.has_source for file in message.files):
        # Its text is a heading at most, and the button needs the frame.
        return True
    if not (silent or not message.content):
        return False
    if message.notice:
        return settings.notices == "card"
    return any(isinstance(file, Attachment) and file.is_framed for file in message.files)


def allowed_mentions_for(
    message: Message,
    settings: Settings,
    people: Sequence[Person] = (),
    notified: Collection[int] = frozenset(),
) -> AllowedMentions:
    """Return whom a message may notify according to the settings; not those who were `notified` already."""
    match settings.mentions:
        case "users" | "users_and_roles":
            named = _mentioned_in(message)
            again = any(user in notified for user in named)
            users: bool | tuple[int, ...] = True
            if again:
                users = tuple(user for user in named if user not in notified)
        case "resolved":
            known = {person.id for person in people}.difference(notified)
            users = tuple(user for user in _mentioned_in(message) if user in known)
        case _:
            users = ()
    return AllowedMentions(users, settings.mentions == "users_and_roles", settings.reply_ping)


def _mentioned_in(message: Message) -> Sequence[int]:
    """Return the people whom the text of a message mentions, each once."""
    return tuple(dict.fromkeys(int(found) for found in _MENTION.findall(message.content)))
