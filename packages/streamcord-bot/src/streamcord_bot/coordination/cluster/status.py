"""Describe a cluster for `streamcord-bot status` and for `/metrics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from streamcord import SettingsError

from ...config import BotConfig
from . import ClusterView, Membership, open_rows

LATE_FRACTION = 0.5
"""A member whose last heartbeat is older than this part of the lease is shown as late."""


async def read_status(config: BotConfig) -> str:
    """Return a description of all clusters in the configured database."""
    if not config.cluster.url:
        raise SettingsError("cluster.url", "set: a bot without a cluster has only one process and no status")
    rows = await open_rows(config.cluster.address(config.store), config.cluster.lease)
    try:
        pages = [describe_view(bot, await rows.view(bot), config.cluster.lease) for bot in await rows.bots()]
    finally:
        await rows.close()
    return "\n\n".join(pages) or "No process has joined this cluster yet."


def describe_view(bot: int, view: ClusterView, lease_seconds: float) -> str:
    """Return a description of the processes, shards and leases of one bot."""
    return "\n".join(_lines(bot, view, lease_seconds))


def _lines(bot: int, view: ClusterView, lease_seconds: float) -> Iterator[str]:
    held: dict[str, list[int]] = {member.name: [] for member in view.members}
    for shard in view.shards:
        held.setdefault(shard.owner, []).append(shard.shard)
    channels = Counter(one.owner for one in view.channels)
    yield f"bot {bot}: {len(view.members)} processes, {len(view.shards)} shards"
    for member in sorted(view.members, key=lambda one: one.name):
        state = "leaving" if member.leaving else "ready" if member.ready else "starting"
        late = ", LATE" if member.age > lease_seconds * LATE_FRACTION else ""
        yield (
            f"  {member.name}  {member.role}, {state}; last heartbeat {member.age:.1f} s ago{late}; "
            f"shards {_ranges(held[member.name])}; {member.turns} answers in {channels[member.name]} channels"
        )
    if free := [one for name, some in held.items() if name not in view.names() for one in some]:
        yield f"  no process listens to shards {_ranges(free)}"
    if view.stopped:
        yield f"  Discord accepts no requests for {view.stopped:.0f} s: {view.reason}"


def _ranges(shards: list[int]) -> str:
    """Format shard numbers as `0-3, 7`."""
    parts: list[list[int]] = []
    for shard in sorted(shards):
        if parts and shard == parts[-1][1] + 1:
            parts[-1][1] = shard
        else:
            parts.append([shard, shard])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts) or "none"


def cluster_metrics(member: Membership, blocks: int, recoveries: int) -> Iterator[tuple[str, str, float]]:
    """Yield name, help text and value of each metric of a member."""
    view = member.view
    late = max((one.age for one in view.members), default=0.0)
    yield "cluster_members", "Processes of this bot.", len(view.members)
    yield "cluster_shards", "Shards of this bot.", member.shard_count
    yield "cluster_shards_owned", "Shards that this process answers on.", len(member.owned_shards)
    yield "cluster_shards_free", "Shards without an owner.", sum(not one.owner for one in view.shards)
    yield "cluster_channels", "Channels with a running answer that this process knows of.", len(view.channels)
    yield "cluster_lag_seconds", "Seconds since the oldest last heartbeat.", late
    yield "cluster_valid", "Whether this process may send.", float(member.is_valid)
    yield "cluster_request_blocks", "Blocks of requests acquired since the start.", blocks
    yield "cluster_recoveries", "Recovery runs since the start.", recoveries
