"""Delete stored data that is too old, or that belongs to a server or channel that no longer exists."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import discord

from streamcord import StoreError
from streamcord.store import Place, Store

from ..config import PrivacyConfig
from ..personas.avatar_emoji import AvatarEmoji, pictures_of
from ..policy.channel_config import ChannelConfigs
from ..state import BotState

DAY_S = 86_400.0
SCAN_INTERVAL_S = DAY_S / 4
"""Time between two scans for data that is too old."""

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Retention:
    """Deletes data as `[privacy]` says, on a timer and when a server or channel goes away."""

    config: PrivacyConfig
    store: Store
    channel_configs: ChannelConfigs
    avatar_emoji: AvatarEmoji
    state: BotState
    clock: Callable[[], float] = time.time

    # The timer of the next scan.
    _next: asyncio.TimerHandle | None = field(default=None, init=False)

    def start(self) -> None:
        """Scan now, and then every few hours until `stop`."""
        # In the background: the bot must not wait for a large deletion.
        self.state.run_later(self.forget_old())
        self._next = asyncio.get_running_loop().call_later(SCAN_INTERVAL_S, self.start)

    def stop(self) -> None:
        """Stop scanning."""
        if self._next is not None:
            self._next.cancel()

    async def forget_old(self) -> None:
        """Delete answers and changes that are older than `privacy.days`."""
        days = self.config.days
        if not days:
            return
        try:
            count = await self.store.forget_before(self.clock() - days * DAY_S)
        except StoreError as error:
            _log.warning("retention failed, data older than %d days not deleted: %s", days, error)
            return
        if count:
            _log.info("deleted answers older than %d days: %d", days, count)

    async def forget_server(self, guild: discord.Guild) -> None:
        """Delete the data of a server that the bot has left, if `[privacy]` says so."""
        if self.config.forget_left:
            await self._forget(Place(guild.id))

    async def forget_channel(self, guild: int, channel: int) -> None:
        """Delete the data of a channel or thread that was deleted."""
        await self._forget(Place(guild, channel))

    async def _forget(self, place: Place) -> None:
        store = self.store
        try:
            # Read the pictures first: after the deletion nothing says which uploads are unused.
            # Personas belong to a server, so a deleted channel has none. Shared ones (guild 0) stay.
            own = [one for one in await store.personas(place.guild) if one.guild and not place.channel]
            await store.forget_place(place)
        except StoreError as error:
            _log.warning(
                "deleting data of server %d, channel %d failed: %s", place.guild, place.channel, error
            )
            return
        self.channel_configs.forget()
        pictures = [address for one in own for address in pictures_of(one.persona)]
        await self.avatar_emoji.remove_unused(pictures)
        _log.info("deleted data of server %d, channel %d", place.guild, place.channel)
