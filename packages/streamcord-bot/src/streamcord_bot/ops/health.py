"""Health of a running bot: the text of `/health`, and the request of `streamcord-bot health`."""

from __future__ import annotations

import http.client
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..config import LogConfig

if TYPE_CHECKING:
    import discord

REQUEST_TIMEOUT_S = 5.0
ACK_TIMEOUT_S = 15.0
"""Discord acknowledges a heartbeat of the gateway at once; without one for this long, a connection is dead."""
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

    if trouble := _find_gateway_trouble(bot):
        return False, trouble
    if block := find_block(bot):
        how_long = f" for {block.seconds:.0f} s more" if block.seconds < float("inf") else ""
        return False, f"Discord accepts no requests{how_long}: {block.reason}"
    if models and {*models} <= {*paused}:
        return False, f"every model failed several times in a row and is paused: {', '.join(sorted(models))}"
    count = len(bot.guilds)
    return True, f"ok: {count} server{'' if count == 1 else 's'}"


def _find_gateway_trouble(bot: discord.AutoShardedClient) -> str:
    """Return why no events arrive, or only some; empty if all do."""
    if bot.is_closed():
        return "the bot is ending"
    if not bot.is_ready():
        return "waiting for Discord"
    # A shard that reconnects by itself is not closed; a closed one stays deaf to its servers.
    lost = sum(shard.is_closed() for shard in bot.shards.values())
    if lost:
        return f"{lost} of {len(bot.shards)} connections to Discord are lost"
    silent = sum(_seconds_without_ack(shard) > ACK_TIMEOUT_S for shard in bot.shards.values())
    return f"{silent} of {len(bot.shards)} connections to Discord get no answer" if silent else ""


def _seconds_without_ack(shard: discord.ShardInfo) -> float:
    """Return for how long the acknowledgement of a heartbeat is overdue; 0 if discord.py does not say."""
    # discord.py itself notices a dead connection after one to two minutes.
    state: Any = getattr(getattr(getattr(shard, "_parent", None), "ws", None), "_keep_alive", None)
    acknowledged, interval = getattr(state, "_last_ack", None), getattr(state, "interval", None)
    return 0.0 if acknowledged is None or interval is None else time.perf_counter() - acknowledged - interval


def ask_health(config: LogConfig) -> tuple[bool, str]:
    """Ask the bot that runs with this configuration; returns whether it is well, and its line about it."""
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
