"""Health of a running bot: the text of `/health`, and the request of `streamcord-bot health`."""

from __future__ import annotations

import http.client
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..config import LogConfig

if TYPE_CHECKING:
    import discord

__all__ = ["ask_health", "describe_health"]

REQUEST_TIMEOUT_S = 5.0
# An address to listen on is not always one to connect to: these two mean "all interfaces".
_LOOPBACK_FOR = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (where we ask, not where we listen)


def describe_health(
    bot: discord.AutoShardedClient, models: Collection[str] = (), paused: Collection[str] = ()
) -> tuple[bool, str]:
    """Return whether a bot can receive and answer messages, and a line about it.

    Args:
        bot: the client.
        models: the names of all models.
        paused: the names of those that are asked nothing now, because they failed too often.

    """
    from streamcord.discord import find_block  # noqa: PLC0415  (`streamcord-bot health` needs no discord.py)

    if bot.is_closed():
        return False, "the bot is ending"
    if not bot.is_ready():
        return False, "waiting for Discord"
    # A shard that reconnects by itself is not closed; a closed one stays deaf to its servers.
    lost = [shard.id for shard in bot.shards.values() if shard.is_closed()]
    if lost:
        return False, f"{len(lost)} of {len(bot.shards)} connections to Discord are lost"
    if block := find_block(bot):
        how_long = f" for {block.seconds:.0f} s more" if block.seconds < float("inf") else ""
        return False, f"Discord accepts no requests{how_long}: {block.reason}"
    if models and {*models} <= {*paused}:
        return False, f"every model failed several times in a row and is paused: {', '.join(sorted(models))}"
    count = len(bot.guilds)
    return True, f"ok: {count} server{'' if count == 1 else 's'}"


def ask_health(config: LogConfig) -> tuple[bool, str]:
    """Ask the bot that runs with this configuration; returns whether it is well, and its line about it."""
    if not config.metrics_port:
        return False, "no address to ask: set metrics_port in [log], or STREAMCORD_METRICS_PORT"
    host = _LOOPBACK_FOR.get(config.metrics_host, config.metrics_host)
    connection = http.client.HTTPConnection(host, config.metrics_port, timeout=REQUEST_TIMEOUT_S)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        # A limit, since any other program may listen on this port.
        words = answer.read(1000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException):
        return False, f"the bot does not answer on {host}, port {config.metrics_port}: is it running?"
    finally:
        connection.close()
    return answer.status == 200, words
