"""Let shards resume their gateway session after an outage, and reconnect quickly.

When a reconnect fails, discord.py's sharded client discards the session and identifies again (`Shard.reconnect` in
2.7.1), so all events of the outage are lost although Discord would have replayed them. Its plain client resumes.
Here a shard keeps its session until Discord rejects it: https://docs.discord.com/developers/events/gateway#resuming
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord
from discord.backoff import ExponentialBackoff
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

MAX_RECONNECT_PAUSE_S = 5.0
"""Upper bound of the pause between two reconnects, so that the bot is back soon after an outage."""
CONNECT_TIMEOUT_S = 20.0

_log = logging.getLogger(__name__)


class QuickBackoff:
    """The backoff of discord.py, limited to short pauses."""

    def __init__(self) -> None:
        self._usual: ExponentialBackoff[Any] = ExponentialBackoff()

    def delay(self) -> float:
        """Return the seconds until the next attempt."""
        return min(MAX_RECONNECT_PAUSE_S, float(self._usual.delay()))


def preserve_session(shard: Any) -> None:  # noqa: ANN401 - discord.shard.Shard
    """Let a shard of discord.py resume its session when it reconnects."""

    async def reconnect() -> None:
        before = shard.ws
        if not getattr(before, "session_id", None):
            # There is no session to resume: use discord.py's own method.
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
                timeout=CONNECT_TIMEOUT_S,
            )
        except ReconnectWebSocket as error:
            # Discord rejected the session.
            await shard.reidentify(error)
        except shard._handled_exceptions as error:  # noqa: SLF001
            await shard._handle_disconnect(error)  # noqa: SLF001
        else:
            _log.info("resuming the session of shard %s", shard.id)
            shard.launch()

    shard._backoff = QuickBackoff()  # noqa: SLF001
    shard.reconnect = reconnect


def find_shard(client: discord.AutoShardedClient, shard_id: int) -> Any | None:  # noqa: ANN401
    """Return discord.py's internal shard, which `ShardInfo` hides; `None` if there is none."""
    return getattr(client.get_shard(shard_id), "_parent", None)
