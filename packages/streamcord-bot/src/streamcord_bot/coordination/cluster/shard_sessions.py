"""The sessions of a bot whose shards come and go: discord.py knows only those that it starts with."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Any

import discord
from discord.gateway import DiscordWebSocket

from . import Membership, sessions_of, shard_of
from .channel_leases import ClusterStops

__all__ = ["ShardSessions"]

_log = logging.getLogger(__name__)


class ShardSessions:
    """Opens and closes sessions as shards are taken and given up."""

    def __init__(self, bot: discord.AutoShardedClient, member: Membership, stops: ClusterStops) -> None:
        # `Any`: discord.py has no public way to start or close a single shard.
        self._bot: Any = bot
        self._member = member
        self._stops = stops
        self._ready: set[int] = set()
        self._changed = asyncio.Event()
        self._news = asyncio.Event()
        self._news.set()
        self._worker: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open those that are wanted now; later ones follow by themselves."""
        member, bot = self._member, self._bot
        bot.shard_count = bot._connection.shard_count = member.count  # noqa: SLF001
        bot._connection.shard_ids = sorted(self._wanted())  # noqa: SLF001
        for shard in bot._connection.shard_ids:  # noqa: SLF001
            await bot.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard)
        self._worker = asyncio.create_task(self._work())

    def adjust(self) -> None:
        """Shards were taken or given up."""
        self._news.set()

    def note_ready(self, shard: int) -> None:
        """The servers of a shard are known."""
        self._ready.add(shard)
        self._changed.set()
        self._changed.clear()

    async def ready(self, shards: Collection[int]) -> None:
        """Wait until the servers of these shards are known."""
        while not {*shards} & self._wanted() <= self._ready:
            await self._changed.wait()

    def close(self) -> None:
        """Open and close nothing any more."""
        if self._worker is not None:
            self._worker.cancel()

    def _wanted(self) -> set[int]:
        member = self._member
        return sessions_of(member.role, member.held, member.count)

    async def _work(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            wanted, there = self._wanted(), set(self._bot.shards)
            # discord.py is ready when as many shards are as it was told of.
            self._bot._connection.shard_ids = sorted(wanted)  # noqa: SLF001
            for shard in sorted(wanted - there):
                await self._bot.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard)
            for shard in sorted(there - wanted):
                await self._close(shard)

    async def _close(self, shard: int) -> None:
        """End a session, and forget the servers that nothing is heard of any more."""
        bot = self._bot
        self._ready.discard(shard)
        known = bot._AutoShardedClient__shards.pop(shard, None)  # noqa: SLF001
        if known is not None:
            await known.close()
        # Answers that are still written there need their channels.
        for guild in [one for one in bot.guilds if shard_of(one.id, bot.shard_count) == shard]:
            if not any(self._stops.is_busy(channel.id) for channel in guild.channels):
                bot._connection._remove_guild(guild)  # noqa: SLF001
        _log.info("the session of shard %d is closed", shard)
