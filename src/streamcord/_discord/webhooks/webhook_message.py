"""One message on its way through a webhook: what it is made of, what was tried, and how it is taken back.

Somebody may move a webhook to another channel while a message is under way. What was sent there is deleted.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from ..._delivery.error_codes import ErrorCode
from ..._delivery.outbox import Parcel
from ..._errors import DeliveryError, Unavailable, Uncertain
from ..._events import Attachment
from ..component_cards import as_card_json
from ..request import as_allowed, as_named_files, describe_files, find_client
from ..revisions import V2_FLAG
from .appearance import Appearance
from .unconfirmed import Unconfirmed, describe, describe_name
from .webhook_cache import CachedWebhook, WebhookCache, WebhookChannel

__all__ = ["WebhookMessage", "recall", "take_back"]

_SUPPRESS_EMBEDS, _SILENT = 1 << 2, 1 << 12


@dataclass(slots=True)
class WebhookMessage:
    """A message on its way through a webhook: where it goes, how it looks, what was tried."""

    channel: Any
    home: WebhookChannel
    parcel: Parcel
    appearance: Appearance
    changes: tuple[str, ...] = ()
    notice: str = ""
    """A line that links the message that is answered, if it has such a link in any form."""
    tried: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        """The key of the parcel, the same at every attempt."""
        return self.parcel.key

    @property
    def thread(self) -> dict[str, str]:
        """The query that names the thread; empty outside of threads."""
        return {} if self.channel.id == self.home.id else {"thread_id": str(self.channel.id)}

    @property
    def query(self) -> dict[str, str]:
        """The query parameter without which Discord ignores components."""
        return {"with_components": "true"} if self.parcel.view is not None or self.is_card else {}

    @property
    def is_card(self) -> bool:
        """Whether it is one of Components V2; a look that needs embeds cannot be."""
        return self.parcel.card and not self.appearance.embeds

    @property
    def is_named(self) -> bool:
        """Whether it carries a number of its own, by which it is known for certain."""
        return bool(self.parcel.name and self.is_card and self.appearance.content)

    @property
    def files(self) -> list[Attachment]:
        """The files that are sent with the text."""
        return as_named_files(self.parcel.message.files)

    @property
    def body(self) -> str:
        """The name or the text by which it is recognised when it is looked for."""
        appearance = self.appearance
        if self.is_named:
            return describe_name(self.parcel.name)
        return describe(appearance.name, appearance.content, appearance.embeds, len(self.files))

    def tries(self, remedy: str) -> bool:
        """Whether this remedy is still untried; notes that it is tried now."""
        fresh = remedy not in self.tried
        self.tried.add(remedy)
        return fresh

    def payload(self, avatar_url: str | None) -> dict[str, Any]:
        """The body of the request; all fields that decide about pings are set."""
        appearance, pings = self.appearance, replace(self.parcel.pings, replied_user=False)
        payload: dict[str, Any] = {
            "content": appearance.content,
            "username": appearance.name,
            "allowed_mentions": as_allowed(pings).to_dict(),
        }
        if avatar_url:
            payload["avatar_url"] = avatar_url
        if appearance.embeds:
            payload["embeds"] = [*appearance.embeds]
        hides_links = not appearance.embeds and not self.parcel.previews
        flags = (_SUPPRESS_EMBEDS if hides_links else 0) | (_SILENT if self.parcel.silent else 0)
        if flags:
            payload["flags"] = flags
        if self.is_card:
            payload |= as_card_json(appearance.content, self.parcel)
            payload["flags"] = flags | V2_FLAG
        elif self.parcel.view is not None:
            payload["components"] = self.parcel.view.to_components()
        if self.files:
            payload["attachments"] = describe_files(self.files)
        return payload


PAUSES = (0.0, 0.5, 2.0, 5.0, 15.0)
"""Before each try to delete a message; an outage that takes longer is no moment to say anything either."""


async def take_back(hook: CachedWebhook, message_id: int, guild: discord.Guild, channel_id: int) -> bool:
    """Delete a webhook's message from a channel, in several tries; says whether it is gone."""
    for pause in PAUSES:
        await asyncio.sleep(pause)
        with suppress(DeliveryError):
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}")
            if answer.is_done:
                return True
            if answer.status in {401, 404}:
                break
    # Gone, or out of its reach, because it was moved or deleted since; or Discord does not let it.
    return await _delete_as_bot(guild, channel_id, message_id)


async def _delete_as_bot(guild: discord.Guild, channel_id: int, message_id: int) -> bool:
    channel: Any = guild.get_channel(channel_id)
    if channel is None and (client := find_client(guild)) is not None:
        # The gateway has not told us of the channel yet: Discord is asked all the same.
        channel = client.get_partial_messageable(channel_id)
    try:
        await channel.get_partial_message(message_id).delete()
    except Exception as error:
        return getattr(error, "code", 0) == ErrorCode.UNKNOWN_MESSAGE
    return True


async def recall(
    message: WebhookMessage, hook: CachedWebhook, cache: WebhookCache, unconfirmed: Unconfirmed
) -> bool:
    """Look for an unconfirmed message in the channel its webhook was moved to, and delete it there.

    Says whether one was found and deleted.

    Raises `Uncertain` if it may stand in a place where nobody can look.
    """
    try:
        place = await cache.find_place(hook)
    except Unavailable as error:
        raise Uncertain(str(error), retryable=True) from error
    if place is None or place == message.home.id:
        return False
    cache.forget(hook)
    channel = message.home.guild.get_channel(place)
    if channel is None:
        raise Uncertain("the webhook was moved; it may have arrived elsewhere")
    found = await unconfirmed.look(message.key, channel)
    if found is None:
        return False
    if not await take_back(hook, found, message.home.guild, place):
        raise Uncertain("it arrived in another channel", retryable=True)
    unconfirmed.withdraw(message.key, None)
    return True
