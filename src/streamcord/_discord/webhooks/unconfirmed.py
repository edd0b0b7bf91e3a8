"""Messages of webhooks that nobody has confirmed, and how to find out whether they arrived.

Webhooks have no key that makes a repeat harmless, so a message is unconfirmed from before its first byte
leaves until there is a receipt or a refusal. Whoever comes with the same key meanwhile looks before anything
is sent again: the channel is read from the last message that we knew before we sent. A message of our webhook
that we cannot explain is ours if it reads like ours; if it does not, or if the channel cannot be read, it
stays uncertain, and nothing is sent again. A channel that was read and holds nothing strange proves that it
did not arrive.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import discord

from ..._errors import DeliveryError, Uncertain
from ..._shared.bounded_cache import BoundedCache
from ..revisions import name_in, name_of, spoken_words, words_in

if TYPE_CHECKING:
    from .webhook_cache import CachedWebhook

__all__ = [
    "Attempt",
    "SeenMessage",
    "Unconfirmed",
    "describe",
    "describe_name",
    "find_arrived",
    "seen_message",
]

READ_CAP = 300
"""Messages that are read back at most."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A message that may have arrived: its webhook, its channel, the message before it, and how it reads."""

    hook: CachedWebhook
    channel_id: int
    after: int
    body: str


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message of a webhook that was seen in a channel; its body is empty if it could not be read."""

    id: int
    channel_id: int
    hook_id: int
    body: str = ""


def describe(name: str, content: str, embeds: Iterable[dict[str, Any]], files: int) -> str:
    """A text by which messages are compared: equal texts are taken for the same message.

    Discord trims, strips what it cannot show, and adds embeds for links; those never stand without a text.
    """
    text = content or next((str(embed.get("description") or "") for embed in embeds), "")
    return json.dumps([_visible(name), _visible(text), files])


def describe_name(name: int) -> str:
    """The same for a message that carries a name; no other text looks like it."""
    return f"#{name}"


def seen_message(message: discord.Message) -> SeenMessage:
    """What we need of a message of discord.py to recognise it."""
    embeds = [embed.to_dict() for embed in message.embeds]
    words = spoken_words(message)
    body = describe_name(name) if (name := name_of(message)) else ""
    if not body and (words or embeds or message.attachments):
        body = describe(message.author.name, words, embeds, len(message.attachments))  # type: ignore[arg-type]
    return SeenMessage(message.id, message.channel.id, message.webhook_id or 0, body)


async def find_arrived(
    channel: discord.abc.Messageable,
    attempt: Attempt,
    explained: Container[int],
    seen_messages: Iterable[SeenMessage],
    rivals: int = 0,
) -> int | None:
    """The id under which it arrived, or `None` if it did not; raises `Uncertain` if nobody can tell.

    `explained` are messages that have receipts, `seen_messages` those that the gateway showed; `rivals`
    counts other unconfirmed messages that read the same.
    """
    found = {one.id: one for one in seen_messages if _may_be(one, attempt, explained)}
    doubt: Uncertain | None = None
    try:
        async for message in _read(channel, attempt):
            one = seen_message(message)
            if _may_be(one, attempt, explained) and (one.body or one.id not in found):
                found[one.id] = one
    except Uncertain as error:
        doubt = error
    strange = [one if one.body else await _ask_webhook(one, channel, attempt.hook) for one in found.values()]
    same = [one.id for one in strange if one.body == attempt.body]
    if attempt.body.startswith("#"):
        # What can be read and has another name, or none, is another message.
        strange = [one for one in strange if one.body in {"", attempt.body}]
    if len(same) > rivals:
        return max(same)
    if strange:
        raise Uncertain("a message in the channel may be this one")
    if doubt is not None:
        raise doubt
    return None


def _may_be(one: SeenMessage, attempt: Attempt, explained: Container[int]) -> bool:
    here = (one.channel_id, one.hook_id) == (attempt.channel_id, attempt.hook.id)
    return here and one.id > attempt.after and one.id not in explained


async def _read(channel: Any, attempt: Attempt) -> AsyncIterator[discord.Message]:  # noqa: ANN401 - of many kinds
    allowed = channel.permissions_for(channel.guild.me)
    if not (allowed.read_message_history and allowed.view_channel):
        # Discord would answer with an empty list, which proves nothing.
        raise Uncertain("the channel's history may not be read")
    count = 0
    behind = discord.Object(attempt.after)
    try:
        async for message in channel.history(limit=READ_CAP, after=behind, oldest_first=True):
            count += 1
            yield message
    except Exception as error:
        # What is forbidden stays so; everything else may pass.
        later = not isinstance(error, discord.Forbidden | discord.NotFound)
        raise Uncertain(f"the channel could not be read ({type(error).__name__})", retryable=later) from error
    if count == READ_CAP:
        raise Uncertain("too much was written since")


async def _ask_webhook(one: SeenMessage, channel: object, hook: CachedWebhook) -> SeenMessage:
    """Read the message through its webhook, which also works without the message content intent."""
    params = {"thread_id": str(one.channel_id)} if isinstance(channel, discord.Thread) else None
    try:
        answer = await hook.http.request("GET", f"{hook.path}/messages/{one.id}", params=params)
    except DeliveryError:
        return one
    if not answer.is_done:
        return one
    told = answer.body
    name = str((told.get("author") or {}).get("username"))
    files = len(told.get("attachments") or ())
    own = name_in(told)
    words = describe(name, words_in(told) or "", told.get("embeds") or (), files)
    body = describe_name(own) if own else words
    return SeenMessage(one.id, one.channel_id, one.hook_id, body)


def _visible(text: str) -> str:
    return "".join(one for one in text if one.isprintable() and not one.isspace())


CAP = 10_000


class Unconfirmed:
    """The unconfirmed messages of a bot's webhooks; `seen_messages` are what the gateway showed lately."""

    def __init__(self, seen_messages: Callable[[], Iterable[SeenMessage]]) -> None:
        self._seen = seen_messages
        self._open: BoundedCache[str, Attempt] = BoundedCache(CAP)
        self._explained: BoundedCache[int, None] = BoundedCache(CAP)
        self._last: BoundedCache[int, int] = BoundedCache(CAP)

    def begin(self, key: str, channel: Any, hook: CachedWebhook, body: str) -> Attempt | None:  # noqa: ANN401 - of many kinds
        """Note that a message is being sent; an earlier unconfirmed attempt with this key is returned."""
        earlier = self._open.find(key)
        after = earlier.after if earlier else self._newest(channel, hook)
        self._open.keep(key, Attempt(hook, channel.id, after, body))
        return earlier

    def withdraw(self, key: str, earlier: Attempt | None) -> None:
        """Note that it was certainly refused; an earlier attempt stays unconfirmed."""
        if earlier is None:
            self._open.drop(key)
        else:
            self._open.keep(key, earlier)

    def resolve(self, key: str, channel_id: int, message_id: int) -> None:
        """Note that it arrived under this id."""
        self._open.drop(key)
        self._explained.keep(message_id, None)
        self._last.keep(channel_id, max(message_id, self._last.find(channel_id) or 0))

    def find_hook(self, key: str) -> CachedWebhook | None:
        """The webhook through which an unconfirmed message was sent."""
        attempt = self._open.find(key)
        return attempt.hook if attempt else None

    async def look(self, key: str, channel: Any) -> int | None:  # noqa: ANN401 - of many kinds
        """The id under which it arrived in a channel, or `None` if it did not; else raises `Uncertain`."""
        attempt = self._open.find(key)
        if attempt is None:
            return None
        attempt = replace(attempt, channel_id=channel.id)
        rivals = sum(self._is_rival(*other, key, attempt) for other in self._open.items())
        return await find_arrived(channel, attempt, self._explained, self._seen(), rivals)

    def find_unexplained(self, attempt: Attempt) -> list[int]:
        """Messages that read like one that was sent again, and that are not accounted for."""
        if any(
            (one.channel_id, one.body) == (attempt.channel_id, attempt.body) for one in self._open.values()
        ):
            return []
        seen = [one for one in self._seen() if _may_be(one, attempt, self._explained)]
        return [one.id for one in seen if one.body == attempt.body]

    def explain(self, message_id: int) -> None:
        """Note that a message is accounted for."""
        self._explained.keep(message_id, None)

    def _newest(self, channel: Any, hook: CachedWebhook) -> int:  # noqa: ANN401 - of many kinds
        """The newest message that we know of, or the id of the webhook or thread, which is older."""
        told = getattr(channel, "last_message_id", None) or 0
        oldest = hook.id if channel.id == hook.channel_id else channel.id
        return max(told, oldest, self._last.find(channel.id) or 0)

    def _is_rival(self, other_key: str, other: Attempt, key: str, attempt: Attempt) -> bool:
        """Whether both could be the same message; not if one of ours has arrived between them."""
        if other_key == key:
            return False
        same = (other.channel_id, other.body) == (attempt.channel_id, attempt.body)
        return same and other.after >= min(attempt.after, self._last.find(attempt.channel_id) or 0)
