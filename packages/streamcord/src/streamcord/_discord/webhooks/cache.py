"""Cache of the bot's webhooks: find, create, verify and forget one per channel.

A webhook is ours if the bot's own user created it *and* it has our name. Every user with Manage Webhooks can
create one of the same name, move ours to another channel or delete it, and Discord reports only that something
changed (https://github.com/discord/discord-api-docs/issues/2157). Then it is verified before its next use.

`WebhookEvents` receives such changes, and the messages of webhooks, from the gateway. Its check never returns
true to `Client.wait_for`, so it receives every event and replaces no event handler.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import discord

from ..._common.bounded_cache import BoundedCache
from ..._delivery.error_codes import ErrorCode
from ..._exceptions import ChannelGone, DeliveryUnavailable, DeliveryUncertain, WebhookUnavailable
from ..discord_internals import find_http
from ..errors import delivery_error
from ..global_rate_limit import RequestPriority
from ..rate_limits import limits_of
from ..raw_http import RawHttp, Response
from .message_matching import SeenMessage, seen_message

NAME = "streamcord"
"""Name of our webhooks; each message shows the speaker's name instead."""
MAX_CHANNELS = 10_000
"""Channels that are remembered."""
REFUSAL_MEMORY_S = 600.0
"""Seconds for which a channel without a free webhook is not asked again."""
RECHECK_AFTER_S = 60.0
"""Seconds after which a webhook is verified again if there are no gateway events."""

WebhookChannel: TypeAlias = (
    discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel
)
"""Channels that can have webhooks; threads use those of their parent."""

_log = logging.getLogger(__name__)
_REFUSALS: dict[int, str] = {
    ErrorCode.TOO_MANY_WEBHOOKS: "the channel has as many webhooks as Discord allows",
    ErrorCode.TOO_MANY_WEBHOOKS_IN_GUILD: "the server has as many webhooks as Discord allows",
    ErrorCode.MISSING_PERMISSIONS: "the bot may not manage webhooks here",
    ErrorCode.MISSING_ACCESS: "the bot may not see this channel",
}


@dataclass(frozen=True, slots=True)
class CachedWebhook:
    """A webhook; its token is secret, because everyone who knows it can post."""

    id: int
    token: str = field(repr=False)
    channel_id: int
    http: RawHttp = field(repr=False)
    has_avatar: bool = False
    """Whether it had an avatar when it was found."""

    @property
    def path(self) -> str:
        """Its path in Discord's API; secret."""
        return f"/webhooks/{self.id}/{self.token}"


@dataclass(slots=True)
class _Entry:
    hook: CachedWebhook
    checked_at: float
    needs_check: bool = False


class WebhookCache:
    """The bot's own webhooks, one for each channel.

    `receives_updates` means that the gateway reports changes; otherwise each webhook is verified periodically.
    """

    def __init__(self, name: str = NAME, clock: Callable[[], float] | None = None) -> None:
        self.receives_updates = False
        self._name = name
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        # The webhook of each channel.
        self._entries: BoundedCache[int, _Entry] = BoundedCache(MAX_CHANNELS)
        # Channels that can have no webhook: until when this is believed, and why.
        self._refused: BoundedCache[int, tuple[float, str]] = BoundedCache(MAX_CHANNELS)
        # Ids of all webhooks that are or were ours.
        self._ids: BoundedCache[int, None] = BoundedCache(MAX_CHANNELS)
        # Ids of deleted webhooks, which must never be called again.
        self._deleted: BoundedCache[int, None] = BoundedCache(MAX_CHANNELS)
        self._locks: weakref.WeakValueDictionary[int, asyncio.Lock] = weakref.WeakValueDictionary()

    async def get(self, parent: WebhookChannel) -> CachedWebhook:
        """Return the webhook of a channel; find or create it if necessary.

        Concurrent calls create one webhook.

        Raises:
            WebhookUnavailable: the channel can have none.

        """
        async with self._locks.setdefault(parent.id, asyncio.Lock()):
            entry = self._entries.find(parent.id)
            if entry and (not self._needs_check(entry) or await self._verify(entry, parent)):
                return entry.hook
            self._check_refused(parent)
            hook = await self._find(parent) or await self._make(parent)
            self._entries.keep(parent.id, _Entry(hook, self._clock()))
            self._ids.keep(hook.id, None)
            return hook

    def is_known(self, hook_id: int) -> bool:
        """Whether the webhook is, or was, one of ours."""
        return hook_id in self._ids

    def recheck(self, channel_id: int) -> None:
        """Check this channel's webhook before it is used again: something has changed."""
        self._refused.drop(channel_id)
        if entry := self._entries.find(channel_id):
            entry.needs_check = True

    def recheck_all(self) -> None:
        """Check all webhooks before they are used again: changes may have been missed."""
        for entry in self._entries.values():
            entry.needs_check = True

    def forget(self, hook: CachedWebhook) -> None:
        """Forget a webhook that was moved or has another token; it is looked for again."""
        entry = self._entries.find(hook.channel_id)
        if entry and entry.hook.id == hook.id:
            self._entries.drop(hook.channel_id)

    def mark_deleted(self, hook: CachedWebhook) -> None:
        """Never use a deleted webhook again: Discord restricts bots that do."""
        self.forget(hook)
        self._deleted.keep(hook.id, None)

    async def find_channel_id(self, hook: CachedWebhook) -> int | None:
        """Return the channel of a webhook now; `None` if it was deleted."""
        if hook.id in self._deleted:
            return None
        try:
            answer = await hook.http.request("GET", hook.path)
        except DeliveryUncertain as error:
            raise DeliveryUnavailable(str(error)) from None
        if answer.status in {401, 404} and not answer.is_ambiguous:
            self._forget_missing(hook, answer)
            return None
        if not answer.ok or "channel_id" not in answer.body:
            later = answer.retry_after if answer.status == 429 else None
            raise DeliveryUnavailable(f"the webhook cannot be verified ({answer.status})", retry_after=later)
        return int(answer.body["channel_id"])

    def _forget_missing(self, hook: CachedWebhook, answer: Response) -> None:
        if answer.status == 404:
            self.mark_deleted(hook)
        else:
            self.forget(hook)

    def _needs_check(self, entry: _Entry) -> bool:
        return entry.needs_check or (
            not self.receives_updates and self._clock() - entry.checked_at > RECHECK_AFTER_S
        )

    async def _verify(self, entry: _Entry, parent: WebhookChannel) -> bool:
        # Before the request, so that an event during the request is not lost.
        entry.needs_check = False
        try:
            there = await self.find_channel_id(entry.hook) == parent.id
        except DeliveryUnavailable:
            entry.needs_check = True
            raise
        if not there:
            self.forget(entry.hook)
        entry.checked_at = self._clock()
        return there

    # --- Finding and making -----------------------------------------------------------------------

    async def _find(self, parent: WebhookChannel) -> CachedWebhook | None:
        await _wait_for_slot(parent)
        try:
            found = await parent.webhooks()
        except Exception as error:
            # Every exception, because discord.py also raises KeyError and others on malformed responses.
            raise self._to_delivery_error(parent, error) from error
        ours = [webhook for webhook in found if self._is_ours(webhook, parent)]
        return _as_hook(min(ours, key=lambda one: one.id), parent) if ours else None

    async def _make(self, parent: WebhookChannel) -> CachedWebhook:
        await _wait_for_slot(parent)
        try:
            return _as_hook(await parent.create_webhook(name=self._name), parent)
        except Exception as error:
            # If the response was lost but the webhook exists, the next call finds it.
            raise self._to_delivery_error(parent, error) from error

    def _is_ours(self, webhook: discord.Webhook, parent: WebhookChannel) -> bool:
        made_by_us = webhook.user is not None and webhook.user.id == parent.guild.me.id
        usable = webhook.type is discord.WebhookType.incoming and bool(webhook.token)
        return made_by_us and usable and webhook.name == self._name and webhook.id not in self._deleted

    def _to_delivery_error(self, parent: WebhookChannel, error: Exception) -> Exception:
        """Convert an error; a lack of webhooks or permissions is remembered and logged once."""
        if isinstance(error, discord.HTTPException) and error.code in _REFUSALS:
            return self._refuse(parent, error.code)
        found = delivery_error(error)
        if isinstance(found, ChannelGone | DeliveryUnavailable):
            return found
        if isinstance(found, DeliveryUncertain):
            return DeliveryUnavailable(str(found))
        return WebhookUnavailable(str(found))

    def _refuse(self, parent: WebhookChannel, code: int) -> WebhookUnavailable:
        reason = _REFUSALS[code]
        if parent.id not in self._refused:
            _log.warning("cannot use a webhook in channel %d, sending as the bot: %s", parent.id, reason)
        self._refused.keep(parent.id, (self._clock() + REFUSAL_MEMORY_S, reason))
        return WebhookUnavailable(reason)

    def _check_refused(self, parent: WebhookChannel) -> None:
        # Discord bans bots that send too many invalid requests, so do not send one that must fail.
        if not parent.permissions_for(parent.guild.me).manage_webhooks:
            raise self._refuse(parent, ErrorCode.MISSING_PERMISSIONS)
        until, reason = self._refused.find(parent.id) or (0.0, "")
        if self._clock() < until and reason != _REFUSALS[ErrorCode.MISSING_PERMISSIONS]:
            raise WebhookUnavailable(reason)


async def _wait_for_slot(parent: WebhookChannel) -> None:
    """Wait for the rate limit, with the priority of the message that waits for this webhook."""
    await limits_of(find_http(parent)).wait(RequestPriority.FIRST, parent)


def _as_hook(webhook: discord.Webhook, parent: WebhookChannel) -> CachedWebhook:
    http = RawHttp(webhook.session, webhook.proxy, webhook.proxy_auth)
    return CachedWebhook(webhook.id, webhook.token or "", parent.id, http, webhook.avatar is not None)


MAX_SEEN_MESSAGES = 1000


class WebhookEvents:
    """Listens to the gateway events of one client."""

    def __init__(self, cache: WebhookCache) -> None:
        self.on_message: Callable[[SeenMessage], None] = lambda _: None
        """Called with every message of our webhooks that the gateway shows."""
        self._cache = cache
        self._seen: BoundedCache[int, SeenMessage] = BoundedCache(MAX_SEEN_MESSAGES)
        self._client: discord.Client | None = None

    @property
    def seen_messages(self) -> Iterator[SeenMessage]:
        """The last messages of webhooks that the gateway showed."""
        return self._seen.values()

    def attach(self, client: discord.Client) -> None:
        """Listen to a running client until `detach`; calling it again changes nothing."""
        if self._client is client:
            return
        self._client = client
        self._cache.receives_updates = client.intents.webhooks
        self._listen(client, "webhooks_update", lambda channel: self._cache.recheck(channel.id))
        self._listen(client, "ready", self._cache.recheck_all)
        self._listen(client, "message", self._on_message)

    def detach(self) -> None:
        """Stop listening."""
        self._client = None
        self._cache.receives_updates = False

    def _listen(self, client: discord.Client, event: str, handler: Callable[..., None]) -> None:
        def check(*args: object) -> bool:
            if self._client is client:
                handler(*args)
            return self._client is not client

        # The call itself registers the check; waiting for its end is not necessary.
        client.wait_for(event, check=check).close()

    def _on_message(self, message: discord.Message) -> None:
        if message.webhook_id is not None and self._cache.is_known(message.webhook_id):
            self.on_message(self._seen.keep(message.id, seen_message(message)))
