"""Run one bot as several processes that share its shards, channels and requests through PostgreSQL.

A process is a *member* while its heartbeats arrive. Everything that it owns is stored under its name: the
shards it listens to, the channels it answers in, the rows of its journal. When its heartbeats stop, another
member evicts it: one statement deletes its name and so frees all that it owned. A member sends requests only
while it is sure that its last heartbeat arrived in time. A member that was evicted stops and joins again.

Clocks of different machines are never compared. A member is silent if its heartbeat counter did not move for a
while by the observer's own clock; everything that needs a time of day uses the clock of the database.
"""

from __future__ import annotations

from .channel_leases import ChannelLeases
from .cluster_rows import ClusterRows, LeaseLost, open_rows
from .journal import ClusterJournal
from .membership import Membership, MembershipObserver
from .rate_share import SharedRate
from .read_cache import open_cached_store
from .shard_plan import ClusterView, LeasedChannel, LeasedShard, MemberRow, Role, sessions_of, shard_of

__all__ = [
    "ChannelLeases",
    "ClusterJournal",
    "ClusterRows",
    "ClusterView",
    "LeaseLost",
    "LeasedChannel",
    "LeasedShard",
    "MemberRow",
    "Membership",
    "MembershipObserver",
    "Role",
    "SharedRate",
    "open_cached_store",
    "open_rows",
    "sessions_of",
    "shard_of",
]
