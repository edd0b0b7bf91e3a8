"""Shards that resume their session after an outage, and come back quickly.

When a reconnect fails, discord.py's sharded client gives its session up and identifies anew (its `reconnect`
of 2.7.1): everything that was asked during the outage is lost, although Discord would have told it. Its plain
client resumes. Here a shard keeps its session until Discord itself refuses it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord
from discord.backoff import ExponentialBackoff
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

__all__ = ["QuickBackoff", "find_shard", "preserve_session"]

LONGEST = 5.0
"""Seconds between two tries to reconnect, at most: an outage is over for us soon after it is over."""
CONNECT_TIMEOUT = 20.0

_log = logging.getLogger(__name__)


class QuickBackoff:
    """Pauses as discord.py makes them, but never long ones."""

    def __init__(self) -> None:
        self._usual: ExponentialBackoff[Any] = ExponentialBackoff()

    def delay(self) -> float:
        """Seconds until the next try."""
        return min(LONGEST, float(self._usual.delay()))


def preserve_session(shard: Any) -> None:  # noqa: ANN401 - discord.shard.Shard
    """Let a shard of discord.py resume its session when it reconnects."""

    async def reconnect() -> None:
        before = shard.ws
        if not getattr(before, "session_id", None):
            await type(shard).reconnect(shard)
            return
        shard._cancel_task()  # noqa: SLF001
        try:
            shard.ws = await asyncio.wait_for(
                DiscordWebSocket.from_client(
                    shard._client,  # noqa: SLF001
                    resume=True,
                    gateway=before.gateway,
                    shard_id=shard.id,
                    session=before.session_id,
                    sequence=before.sequence,
                ),
                timeout=CONNECT_TIMEOUT,
            )
        except ReconnectWebSocket as error:
            await shard.reidentify(error)
        except shard._handled_exceptions as error:  # noqa: SLF001
            await shard._handle_disconnect(error)  # noqa: SLF001
        else:
            _log.info("shard %s resumes its session", shard.id)
            shard.launch()

    shard._backoff = QuickBackoff()  # noqa: SLF001
    shard.reconnect = reconnect


def find_shard(client: discord.AutoShardedClient, shard_id: int) -> Any | None:  # noqa: ANN401
    """The shard itself, which discord.py shows only through its information."""
    return getattr(client.get_shard(shard_id), "_parent", None)
