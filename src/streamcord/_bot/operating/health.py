"""Whether the bot is well: what `/health` says, and `streamcord health`, which asks it."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING

from ..config.sections import LogConfig

if TYPE_CHECKING:
    import discord

__all__ = ["ask_health", "describe_health"]

PATIENCE = 5.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (where we ask, not where we listen)


def describe_health(bot: discord.AutoShardedClient) -> tuple[bool, str]:
    """Whether a bot can hear and answer, and a line about it."""
    if bot.is_closed():
        return False, "the bot is ending"
    if not bot.is_ready():
        return False, "waiting for Discord"
    lost = [shard.id for shard in bot.shards.values() if shard.is_closed()]
    if lost:
        return False, f"{len(lost)} of {len(bot.shards)} connections to Discord are lost"
    count = len(bot.guilds)
    return True, f"ok: {count} server{'' if count == 1 else 's'}"


def ask_health(config: LogConfig) -> tuple[bool, str]:
    """What a bot that runs with this configuration says about itself."""
    if not config.metrics_port:
        return False, "nobody can be asked: set metrics_port in [log], or STREAMCORD_METRICS_PORT"
    host = _EVERYWHERE.get(config.metrics_host, config.metrics_host)
    connection = http.client.HTTPConnection(host, config.metrics_port, timeout=PATIENCE)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        words = answer.read(1000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException):
        return False, f"the bot does not answer on {host}, port {config.metrics_port}: is it running?"
    finally:
        connection.close()
    return answer.status == 200, words
