"""What the gateway tells of webhooks: that those of a channel have changed, and what they posted.

A listener that never says yes to `Client.wait_for` hears every event, and takes no handler's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import discord

from ..._cache import Recent
from .lookback import Sighting, sight
from .webhook_cache import Hooks

__all__ = ["Ears"]

SIGHTING_CAP = 1000


class Ears:
    """Listens to one client."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._sightings: Recent[int, Sighting] = Recent(SIGHTING_CAP)
        self._client: discord.Client | None = None

    @property
    def sightings(self) -> Iterator[Sighting]:
        """Messages of webhooks that were seen lately."""
        return self._sightings.values()

    def attach(self, client: discord.Client) -> None:
        """Listen to a client that runs, until `detach`; a second time is none."""
        if self._client is client:
            return
        self._client = client
        self._hooks.told = client.intents.webhooks
        self._hear(client, "webhooks_update", lambda channel: self._hooks.doubt(channel.id))
        self._hear(client, "ready", self._hooks.doubt_all)
        self._hear(client, "message", self._see)

    def detach(self) -> None:
        """Listen no more."""
        self._client = None
        self._hooks.told = False

    def _hear(self, client: discord.Client, event: str, note: Callable[..., None]) -> None:
        def check(*args: object) -> bool:
            if self._client is client:
                note(*args)
            return self._client is not client

        # The call itself registers the check; nobody needs to wait for an end that does not come.
        client.wait_for(event, check=check).close()

    def _see(self, message: discord.Message) -> None:
        if message.webhook_id is not None and self._hooks.is_known(message.webhook_id):
            self._sightings.keep(message.id, sight(message))
