"""Forgets what is too old, and what belongs to a server or channel that is gone."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import discord

from streamcord import StoreError
from streamcord.store import Place, Store

from ..config.sections import PrivacyConfig
from ..personas.server_personas import AvatarEmoji, pictures_of
from ..policy.channel_config import ChannelConfigs
from ..state import BotState

__all__ = ["DAY", "Retention"]

DAY = 86_400.0
PAUSE = DAY / 4
"""Seconds between two looks at what is too old."""

_log = logging.getLogger(__name__)


class Retention:
    """Keeps the store of one bot no fuller than its file allows."""

    def __init__(
        self,
        config: PrivacyConfig,
        store: Store,
        channel_configs: ChannelConfigs,
        avatar_emoji: AvatarEmoji,
        state: BotState,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config = config
        self._store = store
        self._channel_configs = channel_configs
        self._avatar_emoji = avatar_emoji
        self._state = state
        self._clock = clock
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Look now, and then every few hours until `stop`."""
        self._state.run_later(self.forget_old())
        self._next = asyncio.get_running_loop().call_later(PAUSE, self.start)

    def stop(self) -> None:
        """Look no more."""
        if self._next is not None:
            self._next.cancel()

    async def forget_old(self) -> None:
        """Forget what is older than `privacy.days`."""
        days = self._config.days
        if not days:
            return
        try:
            count = await self._store.forget_before(self._clock() - days * DAY)
        except StoreError as error:
            _log.warning("what is older than %d days is still there: %s", days, error)
            return
        if count:
            _log.info("answers forgotten, since they were older than %d days: %d", days, count)

    async def forget_server(self, guild: discord.Guild) -> None:
        """The bot has left a server."""
        if self._config.forget_left:
            await self._forget(Place(guild.id))

    async def forget_channel(self, guild: int, channel: int) -> None:
        """A channel or thread was deleted."""
        await self._forget(Place(guild, channel))

    async def _forget(self, place: Place) -> None:
        store = self._store
        try:
            own = [one for one in await store.personas(place.guild) if one.guild and not place.channel]
            await store.forget_place(place)
        except StoreError as error:
            _log.warning(
                "server %d, channel %d is gone and still in the store: %s", place.guild, place.channel, error
            )
            return
        self._channel_configs.forget()
        pictures = [address for one in own for address in pictures_of(one.persona)]
        await self._avatar_emoji.remove_unused(store, pictures)
        _log.info("server %d, channel %d is gone, and so is what was kept of it", place.guild, place.channel)
