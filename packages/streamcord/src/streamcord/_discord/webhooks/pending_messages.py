"""Pending messages of webhooks: sent, but not confirmed; find out whether they arrived.

Webhooks have no nonce that makes a repeat harmless, so a message is pending from before the request until
there is a receipt or a refusal. Before it is sent again, the channel is read from the last message that was
known before the request. A message of our webhook that is not accounted for is this one if its text is equal.
If the text differs, or if the channel cannot be read, the outcome is uncertain and nothing is sent again.
A channel without unaccounted messages proves that it did not arrive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import discord

from ..._common.bounded_cache import BoundedCache
from ..._exceptions import DeliveryUncertain
from ..errors import is_refusal
from .message_matching import SeenMessage, fetch_seen, seen_message

if TYPE_CHECKING:
    from .cache import CachedWebhook

MAX_HISTORY_MESSAGES = 300
"""Messages that are read back at most."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A message that may have arrived: webhook, channel, the message before it, and the text to compare."""

    hook: CachedWebhook
    channel_id: int
    after: int
    body: str


async def find_delivered(
    channel: discord.abc.Messageable,
    attempt: Attempt,
    accounted: Container[int],
    seen_messages: Iterable[SeenMessage],
    ambiguous: int = 0,
) -> int | None:
    """Return the id of a pending message, or `None` if it did not arrive.

    Args:
        channel: the channel to read.
        attempt: the pending message.
        accounted: messages that have receipts.
        seen_messages: messages that the gateway showed.
        ambiguous: number of other pending messages with the same text.

    Raises:
        DeliveryUncertain: it cannot be known.

    """
    found = {one.id: one for one in seen_messages if _may_be(one, attempt, accounted)}
    unreadable: DeliveryUncertain | None = None
    try:
        async for message in _read(channel, attempt):
            one = seen_message(message)
            if _may_be(one, attempt, accounted) and (one.body or one.id not in found):
                found[one.id] = one
    except DeliveryUncertain as error:
        unreadable = error
    candidates = [one if one.body else await fetch_seen(one, channel, attempt.hook) for one in found.values()]
    same = [one.id for one in candidates if one.body == attempt.body]
    if attempt.body.startswith("#"):
        # A readable message with another tag, or none, is another message.
        candidates = [one for one in candidates if one.body in {"", attempt.body}]
    if len(same) > ambiguous:
        return max(same)
    if candidates:
        raise DeliveryUncertain("a message in the channel may be this one")
    if unreadable is not None:
        raise unreadable
    return None


def _may_be(one: SeenMessage, attempt: Attempt, accounted: Container[int]) -> bool:
    here = (one.channel_id, one.hook_id) == (attempt.channel_id, attempt.hook.id)
    return here and one.id > attempt.after and one.id not in accounted


async def _read(channel: Any, attempt: Attempt) -> AsyncIterator[discord.Message]:  # noqa: ANN401 - of many kinds
    allowed = channel.permissions_for(channel.guild.me)
    if not (allowed.read_message_history and allowed.view_channel):
        # Discord would answer with an empty list, which proves nothing.
        raise DeliveryUncertain("the bot may not read the message history of this channel")
    count = 0
    start = discord.Object(attempt.after)
    try:
        async for message in channel.history(limit=MAX_HISTORY_MESSAGES, after=start, oldest_first=True):
            count += 1
            yield message
    except Exception as error:
        # Retrying helps unless reading is forbidden.
        later = not (isinstance(error, discord.HTTPException) and is_refusal(error))
        raise DeliveryUncertain(
            f"the channel could not be read ({type(error).__name__})", retryable=later
        ) from error
    if count == MAX_HISTORY_MESSAGES:
        raise DeliveryUncertain("too many messages were written since")


MAX_MESSAGES = 10_000


class PendingMessages:
    """The pending messages of a bot's webhooks; `seen_messages` returns the last ones that the gateway showed."""

    def __init__(self, seen_messages: Callable[[], Iterable[SeenMessage]]) -> None:
        self._seen = seen_messages
        # Pending messages by key.
        self._open: BoundedCache[str, Attempt] = BoundedCache(MAX_MESSAGES)
        # Messages with receipts.
        self._accounted: BoundedCache[int, None] = BoundedCache(MAX_MESSAGES)
        # The newest message with a receipt in each channel.
        self._last: BoundedCache[int, int] = BoundedCache(MAX_MESSAGES)

    def begin(self, key: str, channel: Any, hook: CachedWebhook, body: str) -> Attempt | None:  # noqa: ANN401 - of many kinds
        """Record that a message is being sent; return an earlier pending attempt with this key."""
        earlier = self._open.find(key)
        after = earlier.after if earlier else self._newest(channel, hook)
        self._open.keep(key, Attempt(hook, channel.id, after, body))
        return earlier

    def withdraw(self, key: str, earlier: Attempt | None) -> None:
        """Record that it was certainly refused; an earlier attempt stays pending."""
        if earlier is None:
            self._open.drop(key)
        else:
            self._open.keep(key, earlier)

    def resolve(self, key: str, channel_id: int, message_id: int) -> None:
        """Record that it arrived under this id."""
        self._open.drop(key)
        self._accounted.keep(message_id, None)
        self._last.keep(channel_id, max(message_id, self._last.find(channel_id) or 0))

    def find_hook(self, key: str) -> CachedWebhook | None:
        """Return the webhook of a pending message."""
        attempt = self._open.find(key)
        return attempt.hook if attempt else None

    async def find_in_channel(self, key: str, channel: Any) -> int | None:  # noqa: ANN401 - of many kinds
        """Return the id of a pending message in a channel, or `None` if it did not arrive; see `find_delivered`."""
        attempt = self._open.find(key)
        if attempt is None:
            return None
        attempt = replace(attempt, channel_id=channel.id)
        ambiguous = sum(self._is_ambiguous_with(*other, key, attempt) for other in self._open.items())
        return await find_delivered(channel, attempt, self._accounted, self._seen(), ambiguous)

    def find_unaccounted(self, attempt: Attempt) -> list[int]:
        """Return unaccounted messages with the text of one that was sent again."""
        if any(
            (one.channel_id, one.body) == (attempt.channel_id, attempt.body) for one in self._open.values()
        ):
            return []
        seen = [one for one in self._seen() if _may_be(one, attempt, self._accounted)]
        return [one.id for one in seen if one.body == attempt.body]

    def mark_accounted(self, message_id: int) -> None:
        """Record that a message is accounted for."""
        self._accounted.keep(message_id, None)

    def _newest(self, channel: Any, hook: CachedWebhook) -> int:  # noqa: ANN401 - of many kinds
        """Return the newest known message, or the id of the webhook or thread, which is older than any message."""
        newest = getattr(channel, "last_message_id", None) or 0
        oldest = hook.id if channel.id == hook.channel_id else channel.id
        return max(newest, oldest, self._last.find(channel.id) or 0)

    def _is_ambiguous_with(self, other_key: str, other: Attempt, key: str, attempt: Attempt) -> bool:
        """Whether both could be the same message; not if one of ours has arrived between them."""
        if other_key == key:
            return False
        same = (other.channel_id, other.body) == (attempt.channel_id, attempt.body)
        return same and other.after >= min(attempt.after, self._last.find(attempt.channel_id) or 0)
