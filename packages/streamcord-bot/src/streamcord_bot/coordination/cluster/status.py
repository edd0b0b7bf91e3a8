"""`streamcord-bot status`, and the cluster's lines of `/metrics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from streamcord import SettingsError

from ...config.bot_config import BotConfig
from . import ClusterView, Membership, open_rows

__all__ = ["cluster_metrics", "describe_view", "read_status"]

LATE = 0.5
"""A member whose last beat is older than this part of a life is shown as late."""


async def read_status(config: BotConfig) -> str:
    """All clusters in the database that the file names, as people read them."""
    if not config.cluster.url:
        raise SettingsError("cluster.url", "set: without it there is one process, and nothing to show")
    rows = await open_rows(config.cluster.address(config.store), config.cluster.lease)
    try:
        pages = [describe_view(bot, await rows.view(bot), config.cluster.lease) for bot in await rows.bots()]
    finally:
        await rows.close()
    return "\n\n".join(pages) or "No process has joined this cluster yet."


def describe_view(bot: int, view: ClusterView, life: float) -> str:
    """Processes, shards, leases and lag of one bot."""
    return "\n".join(_lines(bot, view, life))


def _lines(bot: int, view: ClusterView, life: float) -> Iterator[str]:
    held: dict[str, list[int]] = {member.name: [] for member in view.members}
    for shard in view.shards:
        held.setdefault(shard.owner, []).append(shard.shard)
    channels = Counter(one.owner for one in view.channels)
    yield f"bot {bot}: {len(view.members)} processes, {len(view.shards)} shards"
    for member in sorted(view.members, key=lambda one: one.name):
        state = "leaving" if member.leaving else "ready" if member.ready else "starting"
        late = ", LATE" if member.age > life * LATE else ""
        yield (
            f"  {member.name}  {member.role}, {state}; last beat {member.age:.1f} s ago{late}; "
            f"shards {_ranges(held[member.name])}; {member.turns} answers in {channels[member.name]} channels"
        )
    if free := [one for name, some in held.items() if name not in view.names() for one in some]:
        yield f"  nobody listens to shards {_ranges(free)}"
    if view.stopped:
        yield f"  Discord takes no requests for {view.stopped:.0f} s: {view.reason}"


def _ranges(shards: list[int]) -> str:
    """`0-3, 7`."""
    parts: list[list[int]] = []
    for shard in sorted(shards):
        if parts and shard == parts[-1][1] + 1:
            parts[-1][1] = shard
        else:
            parts.append([shard, shard])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts) or "none"


def cluster_metrics(member: Membership, blocks: int, recoveries: int) -> Iterator[tuple[str, str, float]]:
    """Name, help and value of everything that a member counts."""
    view = member.view
    late = max((one.age for one in view.members), default=0.0)
    yield "cluster_members", "Processes of this bot.", len(view.members)
    yield "cluster_shards", "Shards of this bot.", member.count
    yield "cluster_shards_held", "Shards that this process answers on.", len(member.held)
    yield "cluster_shards_free", "Shards that nobody listens to.", sum(not one.owner for one in view.shards)
    yield "cluster_channels", "Channels that this process knows to be spoken in.", len(view.channels)
    yield "cluster_lag_seconds", "Age of the oldest last beat.", late
    yield "cluster_valid", "Whether this process may send.", float(member.is_valid)
    yield "cluster_blocks", "Blocks of requests taken since the start.", blocks
    yield "cluster_recoveries", "Times that others' answers were looked for.", recoveries
