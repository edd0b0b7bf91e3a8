"""Many processes, one bot: they find each other in PostgreSQL, and share shards, channels and requests.

A process is a *member* as long as its beats are seen. Everything that it holds, it holds by its name: the
shards it listens to, the channels it speaks in, the rows of its journal. When its beats stop, another member
buries it, and with its name all of that becomes free in one statement. A member that cannot be sure that its
last beat was seen in time sends nothing; one that finds itself buried ends and begins anew.

No two clocks are ever compared: who is silent is found by watching a counter, and everything that needs a
time of day asks the database for it.
"""

from __future__ import annotations

from .channel_leases import ClusterStops
from .journal import ClusterJournal
from .membership import ClusterWatcher, Membership
from .rate_share import SharedRate
from .read_cache import open_cached_store
from .shard_plan import ClusterView, LeasedChannel, LeasedShard, MemberRow, Role, sessions_of, shard_of
from .tables import ClusterRows, LeaseLost, open_rows

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
