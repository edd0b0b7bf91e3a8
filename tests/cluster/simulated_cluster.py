"""A cluster of many members in virtual time: one table, members that beat, die, stop, come and go.

Everything that decides is the real thing: `FailureDetector`, `plan_shards`, `local_quota`, `shared_quota`. Only the
database is a few dictionaries, and the clock is a number; each member's own clock runs a little wrong.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from random import Random

from streamcord_bot.coordination.cluster.failure_detector import EVICTION_FACTOR, FailureDetector
from streamcord_bot.coordination.cluster.shard_plan import (
    MemberRow,
    local_quota,
    plan_shards,
    shared_quota,
)

LEASE_S, HEARTBEATS_PER_LEASE, STEP = 10.0, 5, 0.25


@dataclass
class SimulatedMember:
    name: str
    drift: float
    offset: float
    joined_at: float
    watch: FailureDetector = field(default_factory=lambda: FailureDetector(LEASE_S * EVICTION_FACTOR))
    next_heartbeat: float = 0.0
    valid_until: float = 0.0
    owned_shards: set[int] = field(default_factory=set)
    dead: bool = False
    stopped_until: float = 0.0
    level: float = 0.0
    asked_at: float = 0.0
    known: int = 1

    def clock(self, now: float) -> float:
        """Its own clock: minutes apart from others', and a little too fast or slow."""
        return self.offset + now * self.drift

    def may_send(self, now: float) -> bool:
        return not self.dead and now >= self.stopped_until and self.clock(now) < self.valid_until


@dataclass
class SimulatedReport:
    takeovers: list[float]
    doubled: int
    unheld: int
    busiest_second: int
    moves_per_change: float

    @property
    def takeover_p95(self) -> float:
        return statistics.quantiles(self.takeovers, n=20)[-1]


class SimulatedCluster:
    """Shards, members, and the table between them."""

    def __init__(self, shards: int, guilds: int, random: Random) -> None:
        self.shards, self.guilds, self.random = shards, guilds, random
        self.rows: dict[str, int] = {}
        self.owners: dict[int, str] = dict.fromkeys(range(shards), "")
        self.members: dict[str, SimulatedMember] = {}
        self.free_since: dict[int, float] = {}
        self.takeovers: list[float] = []
        self.doubled = self.moves = self.changes = 0
        self.pool_at = 0.0
        self.sent: list[float] = []
        self.away_until = 0.0

    def add(self, now: float) -> None:
        name = f"m{len(self.members):03}"
        drift = self.random.uniform(0.99, 1.01)
        member = SimulatedMember(name, drift, self.random.uniform(-60, 60), now)
        member.next_heartbeat = now
        self.members[name], self.rows[name] = member, 0
        member.valid_until = member.clock(now) + LEASE_S

    # --- One step of everybody ------------------------------------------------------------------

    def run(self, members: int, minutes: float, deaths: int, joins: int, outages: int) -> SimulatedReport:
        end, random = minutes * 60, self.random
        for _ in range(members):
            self.add(0.0)
        events = [(random.uniform(60, end - 60), "die") for _ in range(deaths)]
        events += [(random.uniform(60, end - 60), "join") for _ in range(joins)]
        events += [(random.uniform(60, end - 60), "outage") for _ in range(outages)]
        events.sort()
        for step in range(int(end / STEP)):
            now = step * STEP
            while events and events[0][0] <= now:
                self._happen(events.pop(0)[1], now)
            for member in list(self.members.values()):
                self._step(member, now)
            self._check(now)
        unheld = sum(not self._holder(shard, end - STEP) for shard in range(self.shards))
        return SimulatedReport(
            self.takeovers, self.doubled, unheld, self._busiest(), self.moves / max(1, self.changes)
        )

    def _happen(self, kind: str, now: float) -> None:
        alive = [one for one in self.members.values() if not one.dead and one.stopped_until <= now]
        if kind == "join" or len(alive) < 5:
            self.add(now)
        elif kind == "outage":
            self.away_until = now + self.random.uniform(1, 40)
        else:
            member = self.random.choice(alive)
            self.free_since |= dict.fromkeys(member.owned_shards, now)
            if self.random.random() < 0.5:
                member.stopped_until = now + self.random.uniform(5, 60)
            else:
                member.dead = True
        self.changes += 1

    def _step(self, member: SimulatedMember, now: float) -> None:
        if member.dead or now < member.stopped_until:
            return
        self._send(member, now)
        if now < member.next_heartbeat or now < self.away_until:
            return
        member.next_heartbeat = now + LEASE_S / HEARTBEATS_PER_LEASE
        if member.name not in self.rows:
            # It was buried: it ends, and another one begins.
            member.dead = True
            self.add(now)
            return
        self.rows[member.name] += 1
        member.valid_until = member.clock(now) + LEASE_S
        for shard in member.owned_shards:
            # It was stopped, and no one has missed it.
            self.free_since.pop(shard, None)
        self._look(member, now)

    def _look(self, member: SimulatedMember, now: float) -> None:
        others = [
            MemberRow(name, heartbeats) for name, heartbeats in self.rows.items() if name != member.name
        ]
        for name in member.watch.find_silent(others, member.clock(now)):
            self.rows.pop(name, None)
            self.owners = {shard: "" if one == name else one for shard, one in self.owners.items()}
        member.known = len(self.rows)
        rows = [MemberRow(name, heartbeats) for name, heartbeats in self.rows.items()]
        plan = plan_shards(self.shards, rows, self.owners)
        mine = {shard for shard, name in plan.items() if name == member.name}
        for shard in member.owned_shards - mine:
            self.owners[shard] = ""
            self.free_since.setdefault(shard, now)
            self.moves += 1
        member.owned_shards &= mine
        for shard in mine - member.owned_shards:
            if not self.owners[shard]:
                self.owners[shard] = member.name
                member.owned_shards.add(shard)
                if shard in self.free_since:
                    self.takeovers.append(now - self.free_since.pop(shard))

    # --- What must hold -------------------------------------------------------------------------

    def _holder(self, shard: int, now: float) -> list[str]:
        return [one.name for one in self.members.values() if shard in one.owned_shards and one.may_send(now)]

    def _check(self, now: float) -> None:
        seen: set[int] = set()
        for member in self.members.values():
            if member.may_send(now):
                self.doubled += len(seen & member.owned_shards)
                seen |= member.owned_shards

    def _send(self, member: SimulatedMember, now: float) -> None:
        """Everybody always has something to say: as much as they may."""
        if not member.may_send(now):
            return
        share = local_quota(member.known, is_new=now - member.joined_at < LEASE_S)
        member.level = max(0.0, member.level - STEP * share)
        while share and member.level + 1 <= 1.0 + 1e-9:
            member.level += 1
            self.sent.append(now)
        rate = shared_quota(member.known)
        if self.pool_at < now + STEP and now >= self.away_until:
            for _ in range(5):
                self.pool_at = max(self.pool_at, now) + 1 / rate
                self.sent.append(self.pool_at)

    def _busiest(self) -> int:
        times, most, first = sorted(self.sent), 0, 0
        for last, at in enumerate(times):
            while at - times[first] >= 1.0:
                first += 1
            most = max(most, last - first + 1)
        return most
