"""Decide, without I/O, who owns which shard, and who may send how many requests.

Every member computes the same plan from the same rows, so the cluster needs no leader. Which members are dead
is decided in `failure_detector.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["all", "gateway", "standby"]

REQUESTS_PER_S = 36.0
"""Requests per second of all members together. Discord allows 50; interactions and webhooks need the rest."""
MAX_MEMBERS_WITH_QUOTA = 8
"""In a larger cluster no member has a quota of its own, since each quota allows a burst of one more request."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One process, as the other members see it."""

    name: str
    heartbeats: int
    role: Role = "all"
    ready: bool = True
    """Whether it has connected the shards that it may be given."""
    leaving: bool = False
    age: float = 0.0
    """Seconds since its last heartbeat, by the clock of the database."""
    turns: int = 0
    """Answers that it is writing."""


@dataclass(frozen=True, slots=True)
class LeasedShard:
    """A shard and its owner; the successor may resume the gateway session at `session` and `sequence`."""

    shard: int
    owner: str = ""
    fence: int = 0
    age: float = 0.0
    """Seconds since its owner last reported that it listens."""
    session: str = ""
    sequence: int = 0
    gateway: str = ""


@dataclass(frozen=True, slots=True)
class LeasedChannel:
    """A channel and the member that answers there."""

    channel: int
    owner: str
    fence: int = 0
    shard: int = 0


@dataclass(frozen=True, slots=True)
class ClusterView:
    """The state of the cluster that a heartbeat returns."""

    members: tuple[MemberRow, ...] = ()
    shards: tuple[LeasedShard, ...] = ()
    channels: tuple[LeasedChannel, ...] = ()
    """Our channels, and channels of other members on our shards."""
    stopped: float = 0.0
    """Seconds for which Discord accepts no requests of this bot; infinite with a wrong token."""
    reason: str = ""

    def names(self) -> set[str]:
        """Return the names of all members."""
        return {member.name for member in self.members}


def shard_of(guild: int, count: int) -> int:
    """Return the shard that receives the events of a server; direct messages (0) arrive on shard 0.

    https://docs.discord.com/developers/events/gateway#sharding
    """
    return (guild >> 22) % max(1, count)


def plan_shards(count: int, members: Collection[MemberRow], holders: Mapping[int, str]) -> dict[int, str]:
    """Return the owner that each shard should have: equal shares with as few moves as possible.

    Members that are ready come first. A standby gets shards only if no other member is left.
    """
    staying = [member for member in members if not member.leaving]
    ready = [member for member in staying if member.ready]
    wanted = [one for one in ready if one.role != "standby"] or ready or staying
    if not wanted:
        return {}
    held: dict[str, list[int]] = {member.name: [] for member in sorted(wanted, key=lambda one: one.name)}
    for shard in range(count):
        if holders.get(shard) in held:
            held[holders[shard]].append(shard)
    base, more = divmod(count, len(held))
    # The members that own most shards keep the remainder, which saves moves.
    order = sorted(held, key=lambda name: (-len(held[name]), name))
    quota = {name: base + (place < more) for place, name in enumerate(order)}
    plan = {shard: name for name in order for shard in held[name][: quota[name]]}
    free_slots = (name for name in order for _ in range(quota[name] - len(held[name][: quota[name]])))
    free = (shard for shard in range(count) if shard not in plan)
    return {**plan, **dict(zip(free, free_slots, strict=True))}


def sessions_of(role: Role, held: Collection[int], count: int) -> set[int]:
    """Return the shards that a member connects: its own as `gateway`, otherwise all of them."""
    return set(held) if role == "gateway" else set(range(count))


def local_quota(members: int, *, is_new: bool) -> float:
    """Return the requests per second that a member may send without asking: an equal part of one half.

    A new member has no quota before all others know of it, and in a large cluster no member has one.
    """
    if is_new or members > MAX_MEMBERS_WITH_QUOTA:
        return 0.0
    return (REQUESTS_PER_S - shared_quota(members)) / max(1, members)


def shared_quota(members: int) -> float:
    """Return the requests per second that members acquire in blocks: the rest after all local quotas."""
    if members > MAX_MEMBERS_WITH_QUOTA:
        return REQUESTS_PER_S
    return REQUESTS_PER_S / 2 if members > 1 else REQUESTS_PER_S / 6
