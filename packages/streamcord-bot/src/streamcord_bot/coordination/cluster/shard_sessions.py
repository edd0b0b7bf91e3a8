"""Open and close gateway sessions while the bot runs; discord.py only supports the shards it starts with."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Any

import discord
from discord.gateway import DiscordWebSocket

from . import Membership, sessions_of, shard_of
from .channel_leases import ChannelLeases

_log = logging.getLogger(__name__)


class ShardSessions:
    """Opens and closes sessions as shards are acquired and released."""

    def __init__(self, bot: discord.AutoShardedClient, member: Membership, stops: ChannelLeases) -> None:
        # `Any`: discord.py has no public way to start or close a single shard.
        self._bot: Any = bot
        self._member = member
        self._stops = stops
        # Shards whose servers are known.
        self._ready: set[int] = set()
        # Pulsed when a shard becomes ready.
        self._changed = asyncio.Event()
        self._tick_now = asyncio.Event()
        self._tick_now.set()
        self._worker: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect the shards that are wanted now and start the task that connects later ones."""
        member, bot = self._member, self._bot
        bot.shard_count = bot._connection.shard_count = member.shard_count  # noqa: SLF001
        bot._connection.shard_ids = sorted(self._wanted())  # noqa: SLF001
        for shard in bot._connection.shard_ids:  # noqa: SLF001
            await bot.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard)
        self._worker = asyncio.create_task(self._work())

    def update(self) -> None:
        """Open and close sessions after shards were acquired or released."""
        self._tick_now.set()

    def on_ready(self, shard: int) -> None:
        """Record that the servers of a shard are known."""
        self._ready.add(shard)
        self._changed.set()
        self._changed.clear()

    async def wait_ready(self, shards: Collection[int]) -> None:
        """Wait until the servers of these shards are known."""
        while not {*shards} & self._wanted() <= self._ready:
            await self._changed.wait()

    def close(self) -> None:
        """Stop opening and closing sessions."""
        if self._worker is not None:
            self._worker.cancel()

    def _wanted(self) -> set[int]:
        member = self._member
        return sessions_of(member.role, member.owned_shards, member.shard_count)

    async def _work(self) -> None:
        while True:
            await self._tick_now.wait()
            self._tick_now.clear()
            wanted, there = self._wanted(), set(self._bot.shards)
            # discord.py counts ready shards against this list.
            self._bot._connection.shard_ids = sorted(wanted)  # noqa: SLF001
            for shard in sorted(wanted - there):
                await self._bot.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard)
            for shard in sorted(there - wanted):
                await self._close(shard)

    async def _close(self, shard: int) -> None:
        """End a session and remove its servers, which receive no events any more."""
        bot = self._bot
        self._ready.discard(shard)
        session = bot._AutoShardedClient__shards.pop(shard, None)  # noqa: SLF001
        if session is not None:
            await session.close()
        # Running answers still need their channels.
        for guild in [one for one in bot.guilds if shard_of(one.id, bot.shard_count) == shard]:
            if not any(self._stops.is_busy(channel.id) for channel in guild.channels):
                bot._connection._remove_guild(guild)  # noqa: SLF001
        _log.info("closed the session of shard %d", shard)
