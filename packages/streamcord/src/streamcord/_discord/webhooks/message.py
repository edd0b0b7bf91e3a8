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
from ..._exceptions import DeliveryError, DeliveryUnavailable, DeliveryUncertain
from ..attachments import describe_files, with_safe_names
from ..components_v2 import as_card_json
from ..content import to_discord_mentions
from ..discord_internals import find_client
from ..edits import V2_FLAG
from .appearance import Appearance
from .cache import CachedWebhook, WebhookCache, WebhookChannel
from .message_matching import describe, describe_tag
from .pending_messages import PendingMessages

_SUPPRESS_EMBEDS, _SILENT = 1 << 2, 1 << 12


@dataclass(slots=True)
class WebhookMessage:
    """A message on its way through a webhook: its target, its appearance, and the remedies tried."""

    channel: Any
    parent: WebhookChannel
    outgoing: OutgoingMessage
    appearance: Appearance
    changes: tuple[str, ...] = ()
    notice: str = ""
    """The line that links the answered message, if there is one; the link itself may be an embed."""
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
        """Whether it uses Components V2, which excludes embeds."""
        return self.outgoing.card and not self.appearance.embeds

    @property
    def is_tagged(self) -> bool:
        """Whether it has a message tag, which identifies it with certainty."""
        return bool(self.outgoing.message_tag and self.is_card and self.appearance.content)

    @property
    def files(self) -> list[Attachment]:
        """The files that are sent with the text."""
        return with_safe_names(self.outgoing.message.files)

    @property
    def body(self) -> str:
        """The tag or the text by which it is recognized in the channel."""
        appearance = self.appearance
        if self.is_tagged:
            return describe_tag(self.outgoing.message_tag)
        return describe(appearance.name, appearance.content, appearance.embeds, len(self.files))

    def try_once(self, remedy: str) -> bool:
        """Mark a remedy as tried; return whether it was untried."""
        fresh = remedy not in self.tried
        self.tried.add(remedy)
        return fresh

    def payload(self, avatar_url: str | None) -> dict[str, Any]:
        """Return the body of the request; `allowed_mentions` is always set."""
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
"""Seconds before each attempt to delete a message."""


async def delete_message(hook: CachedWebhook, message_id: int, guild: discord.Guild, channel_id: int) -> bool:
    """Delete a webhook's message in several attempts; return whether it is gone."""
    for pause in DELETE_PAUSES_S:
        await asyncio.sleep(pause)
        with suppress(DeliveryError):
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}")
            if answer.ok:
                return True
            if answer.status in {401, 404} and not answer.is_ambiguous:
                break
    # The webhook cannot delete it: the message is gone, or the webhook was moved or deleted.
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
    """Find a pending message in the channel that its webhook was moved to, and delete it there.

    Returns:
        Whether a message was found and deleted.

    Raises:
        DeliveryUncertain: the message may be in a channel that the bot cannot read.

    """
    try:
        place = await cache.find_channel_id(hook)
    except DeliveryUnavailable as error:
        raise DeliveryUncertain(str(error), retryable=True) from error
    if place is None or place == message.parent.id:
        return False
    cache.forget(hook)
    channel = message.parent.guild.get_channel(place)
    if channel is None:
        raise DeliveryUncertain(
            "the webhook was moved; the message may be in a channel that the bot cannot see"
        )
    found = await pending.find_in_channel(message.key, channel)
    if found is None:
        return False
    if not await delete_message(hook, found, message.parent.guild, place):
        raise DeliveryUncertain(
            "the message was posted to another channel and could not be deleted", retryable=True
        )
    pending.withdraw(message.key, None)
    return True
