"""Many processes, one bot, on PostgreSQL (the extra `postgres`): members, leases, stops and shared requests.

rows = await open_rows("postgresql://…", life=10)
member = Membership(rows, bot_id)
await member.join(wanted=0, advised=1)
member.start()
stops = ClusterStops(member)  # one turn at a time in a channel, whichever process speaks there
"""

from __future__ import annotations

from .._cluster.cached_reads import open_cached_store
from .._cluster.channel_leases import ClusterStops
from .._cluster.cluster_journal import ClusterJournal
from .._cluster.cluster_rows import ClusterRows, LeaseLost, open_rows
from .._cluster.membership import ClusterWatcher, Membership
from .._cluster.shard_plan import (
    ClusterView,
    LeasedChannel,
    LeasedShard,
    MemberRow,
    Role,
    sessions_of,
    shard_of,
)
from .._cluster.shared_budget import SharedRate

__all__ = [
    "ClusterJournal",
    "ClusterRows",
    "ClusterStops",
    "ClusterView",
    "ClusterWatcher",
    "LeaseLost",
    "LeasedChannel",
    "LeasedShard",
    "MemberRow",
    "Membership",
    "Role",
    "SharedRate",
    "open_cached_store",
    "open_rows",
    "sessions_of",
    "shard_of",
]
