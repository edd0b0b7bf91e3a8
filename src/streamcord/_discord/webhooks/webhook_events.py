"""What the gateway tells of webhooks: that those of a channel have changed, and what they posted.

A listener that never says yes to `Client.wait_for` hears every event, and takes no handler's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import discord

from ..._shared.bounded_cache import BoundedCache
from .unconfirmed import SeenMessage, seen_message
from .webhook_cache import WebhookCache

__all__ = ["WebhookEvents"]

SEEN_CAP = 1000


class WebhookEvents:
    """Listens to the gateway events of one client."""

    def __init__(self, cache: WebhookCache) -> None:
        self._cache = cache
        self._seen: BoundedCache[int, SeenMessage] = BoundedCache(SEEN_CAP)
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
        self._cache.hears_changes = client.intents.webhooks
        self._hear(client, "webhooks_update", lambda channel: self._cache.recheck(channel.id))
        self._hear(client, "ready", self._cache.recheck_all)
        self._hear(client, "message", self._see)

    def detach(self) -> None:
        """Stop listening."""
        self._client = None
        self._cache.hears_changes = False

    def _hear(self, client: discord.Client, event: str, note: Callable[..., None]) -> None:
        def check(*args: object) -> bool:
            if self._client is client:
                note(*args)
            return self._client is not client

        # The call itself registers the check; nobody needs to wait for an end that does not come.
        client.wait_for(event, check=check).close()

    def _see(self, message: discord.Message) -> None:
        if message.webhook_id is not None and self._cache.is_known(message.webhook_id):
            self._seen.keep(message.id, seen_message(message))
