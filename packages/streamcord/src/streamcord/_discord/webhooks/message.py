"""One message sent through a webhook: its request, the remedies tried, and its deletion.

A webhook may be moved to another channel while a message is in flight. A message that was posted there is
deleted.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from ..._delivery.error_codes import ErrorCode
from ..._delivery.outgoing import OutgoingMessage
from ..._events import Attachment
from ..._exceptions import DeliveryError, Unavailable, Uncertain
from ..attachments import describe_files, with_safe_names
from ..components import as_card_json
from ..content import to_discord_mentions
from ..discord_internals import find_client
from ..edits import V2_FLAG
from .appearance import Appearance
from .cache import CachedWebhook, WebhookCache, WebhookChannel
from .pending import PendingMessages, describe, describe_tag

__all__ = ["WebhookMessage", "delete_message", "delete_misplaced"]

_SUPPRESS_EMBEDS, _SILENT = 1 << 2, 1 << 12


@dataclass(slots=True)
class WebhookMessage:
    """A message on its way through a webhook: where it goes, how it looks, what was tried."""

    channel: Any
    parent: WebhookChannel
    outgoing: OutgoingMessage
    appearance: Appearance
    changes: tuple[str, ...] = ()
    notice: str = ""
    """A line that links the message that is answered, if it has such a link in any form."""
    tried: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        """The key of the outgoing message, the same at every attempt."""
        return self.outgoing.key

    @property
    def thread(self) -> dict[str, str]:
        """The query that names the thread; empty outside of threads."""
        return {} if self.channel.id == self.parent.id else {"thread_id": str(self.channel.id)}

    @property
    def query(self) -> dict[str, str]:
        """The query parameter without which Discord ignores components."""
        return {"with_components": "true"} if self.outgoing.view is not None or self.is_card else {}

    @property
    def is_card(self) -> bool:
        """Whether it is one of Components V2; a look that needs embeds cannot be."""
        return self.outgoing.card and not self.appearance.embeds

    @property
    def is_tagged(self) -> bool:
        """Whether it carries a number of its own, by which it is known for certain."""
        return bool(self.outgoing.message_tag and self.is_card and self.appearance.content)

    @property
    def files(self) -> list[Attachment]:
        """The files that are sent with the text."""
        return with_safe_names(self.outgoing.message.files)

    @property
    def body(self) -> str:
        """The name or the text by which it is recognised when it is looked for."""
        appearance = self.appearance
        if self.is_tagged:
            return describe_tag(self.outgoing.message_tag)
        return describe(appearance.name, appearance.content, appearance.embeds, len(self.files))

    def try_once(self, remedy: str) -> bool:
        """Whether this remedy is still untried; notes that it is tried now."""
        fresh = remedy not in self.tried
        self.tried.add(remedy)
        return fresh

    def payload(self, avatar_url: str | None) -> dict[str, Any]:
        """The body of the request; all fields that decide about pings are set."""
        appearance, allowed_mentions = (
            self.appearance,
            replace(self.outgoing.allowed_mentions, replied_user=False),
        )
        payload: dict[str, Any] = {
            "content": appearance.content,
            "username": appearance.name,
            "allowed_mentions": to_discord_mentions(allowed_mentions).to_dict(),
        }
        if avatar_url:
            payload["avatar_url"] = avatar_url
        if appearance.embeds:
            payload["embeds"] = [*appearance.embeds]
        hides_links = not appearance.embeds and not self.outgoing.previews
        flags = (_SUPPRESS_EMBEDS if hides_links else 0) | (_SILENT if self.outgoing.silent else 0)
        if flags:
            payload["flags"] = flags
        if self.is_card:
            payload |= as_card_json(appearance.content, self.outgoing)
            payload["flags"] = flags | V2_FLAG
        elif self.outgoing.view is not None:
            payload["components"] = self.outgoing.view.to_components()
        if self.files:
            payload["attachments"] = describe_files(self.files)
        return payload


DELETE_PAUSES_S = (0.0, 0.5, 2.0, 5.0, 15.0)
"""Before each try to delete a message; an outage that takes longer is no moment to say anything either."""


async def delete_message(hook: CachedWebhook, message_id: int, guild: discord.Guild, channel_id: int) -> bool:
    """Delete a webhook's message from a channel, in several tries; says whether it is gone."""
    for pause in DELETE_PAUSES_S:
        await asyncio.sleep(pause)
        with suppress(DeliveryError):
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}")
            if answer.ok:
                return True
            if answer.status in {401, 404}:
                break
    # Gone, or out of its reach, because it was moved or deleted since; or Discord does not let it.
    return await _delete_as_bot(guild, channel_id, message_id)


async def _delete_as_bot(guild: discord.Guild, channel_id: int, message_id: int) -> bool:
    channel: Any = guild.get_channel(channel_id)
    if channel is None and (client := find_client(guild)) is not None:
        # The gateway has not announced the channel yet, so it is fetched over HTTP.
        channel = client.get_partial_messageable(channel_id)
    try:
        await channel.get_partial_message(message_id).delete()
    except Exception as error:
        return getattr(error, "code", 0) == ErrorCode.UNKNOWN_MESSAGE
    return True


async def delete_misplaced(
    message: WebhookMessage, hook: CachedWebhook, cache: WebhookCache, pending: PendingMessages
) -> bool:
    """Look for an unconfirmed message in the channel its webhook was moved to, and delete it there.

    Says whether one was found and deleted.

    Raises `Uncertain` if it may be in a place that we cannot read.
    """
    try:
        place = await cache.find_channel_id(hook)
    except Unavailable as error:
        raise Uncertain(str(error), retryable=True) from error
    if place is None or place == message.parent.id:
        return False
    cache.forget(hook)
    channel = message.parent.guild.get_channel(place)
    if channel is None:
        raise Uncertain("the webhook was moved; it may have arrived elsewhere")
    found = await pending.look(message.key, channel)
    if found is None:
        return False
    if not await delete_message(hook, found, message.parent.guild, place):
        raise Uncertain("it arrived in another channel", retryable=True)
    pending.withdraw(message.key, None)
    return True
