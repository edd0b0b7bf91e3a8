"""The pure half of a cluster: who is dead, who should hold which shard, and who may send how much.

Every member computes the same from the same rows, so nobody has to lead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = [
    "REQUESTS",
    "ClusterView",
    "FailureDetector",
    "LeasedChannel",
    "LeasedShard",
    "MemberRow",
    "Role",
    "local_quota",
    "plan_shards",
    "sessions_of",
    "shard_of",
    "shared_quota",
]

Role: TypeAlias = Literal["all", "gateway", "standby"]

PATIENCE = 1.25
"""A member is dead after so many lives without a beat: its own watch may run a little slower than ours."""
REQUESTS = 36.0
"""Requests in a second that all members may send together; Discord takes 50, the bot may need the rest."""
CROWD = 8
"""So many members may have a part of their own: each may send one request at once besides its rate."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A process, as the others see it."""

    name: str
    beats: int
    role: Role = "all"
    ready: bool = True
    """Whether it can hear everything that it would be given."""
    leaving: bool = False
    age: float = 0.0
    """Seconds since its last beat, by the clock of the database."""
    turns: int = 0
    """Answers that it is writing."""


@dataclass(frozen=True, slots=True)
class LeasedShard:
    """A shard and who listens to it; `session` and `sequence` are where its heir may go on."""

    shard: int
    owner: str = ""
    fence: int = 0
    age: float = 0.0
    """Seconds since its holder last said that it listens."""
    session: str = ""
    sequence: int = 0
    gateway: str = ""


@dataclass(frozen=True, slots=True)
class LeasedChannel:
    """A channel and who speaks there."""

    channel: int
    owner: str
    fence: int = 0
    shard: int = 0


@dataclass(frozen=True, slots=True)
class ClusterView:
    """All that one beat shows."""

    members: tuple[MemberRow, ...] = ()
    shards: tuple[LeasedShard, ...] = ()
    channels: tuple[LeasedChannel, ...] = ()
    """Those that we hold, and those of others on our shards."""
    stopped: float = 0.0
    """Seconds for which Discord takes no requests of this bot; infinite with a wrong token."""
    reason: str = ""

    def names(self) -> set[str]:
        """Everybody who is there."""
        return {member.name for member in self.members}


@dataclass(slots=True)
class FailureDetector:
    """Finds members that are silent: their counter stands still for longer than `seconds` of our own time.

    Who could not look for a while, since the database was away, knows nothing about others and begins again.
    """

    seconds: float
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)
    _looked: float = float("-inf")

    def look(self, members: Iterable[MemberRow], now: float) -> list[str]:
        """Note what is seen now; the names of those that are dead."""
        if now - self._looked > self.seconds / 2:
            self._seen.clear()
        self._looked = now
        before, self._seen = self._seen, {}
        for member in members:
            beats, since = before.get(member.name, (member.beats, now))
            self._seen[member.name] = (member.beats, since if beats == member.beats else now)
        return [name for name, (_, since) in self._seen.items() if now - since > self.seconds]


def shard_of(guild: int, count: int) -> int:
    """The shard that tells of a server; 0 is that of direct messages.

    https://docs.discord.com/developers/events/gateway#sharding
    """
    return (guild >> 22) % max(1, count)


def plan_shards(count: int, members: Collection[MemberRow], holders: Mapping[int, str]) -> dict[int, str]:
    """Who should hold each shard: as many for everyone, and as few moves as possible.

    Who is ready goes before who is not, and a standby gets something only if nobody else is left.
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
    # Who holds most keeps the odd one.
    order = sorted(held, key=lambda name: (-len(held[name]), name))
    quota = {name: base + (place < more) for place, name in enumerate(order)}
    plan = {shard: name for name in order for shard in held[name][: quota[name]]}
    room = (name for name in order for _ in range(quota[name] - len(held[name][: quota[name]])))
    free = (shard for shard in range(count) if shard not in plan)
    return {**plan, **dict(zip(free, room, strict=True))}


def sessions_of(role: Role, held: Collection[int], count: int) -> set[int]:
    """The shards that a member has a session of: its own, and as a standby everybody's."""
    return set(held) if role == "gateway" else set(range(count))


def local_quota(members: int, *, is_new: bool) -> float:
    """Requests in a second that a member may send without asking: half of all, in equal parts.

    Who is new has no part before all others know of it; in a crowd everybody asks. Who is alone asks rarely.
    """
    if is_new or members > CROWD:
        return 0.0
    return (REQUESTS - shared_quota(members)) / max(1, members)


def shared_quota(members: int) -> float:
    """Requests in a second that are given out in blocks: what is left beside everybody's own part."""
    if members > CROWD:
        return REQUESTS
    return REQUESTS / 2 if members > 1 else REQUESTS / 6
