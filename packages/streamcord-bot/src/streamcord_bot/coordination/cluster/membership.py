"""Keep one process a member of its cluster: heartbeats, owned shards, and whether it may still send.

Every heartbeat returns the state of the whole cluster. `failure_detector` finds in it the members that are to
be evicted, `shard_plan` the shards that are to be acquired or released. Urgent messages between members go through
PostgreSQL's LISTEN/NOTIFY; if one of them is lost, the next heartbeat shows the same change.
https://www.postgresql.org/docs/current/sql-notify.html
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from streamcord import StoreError
from streamcord.databases import is_dead, process_name
from streamcord.utils import install_line

from .cluster_rows import ClusterRows, LeaseLost
from .failure_detector import EVICTION_FACTOR, FailureDetector
from .member_lease import HEARTBEATS_PER_LEASE, MemberLease, boot_clock
from .read_cache import CHANGES_TOPIC
from .shard_plan import ClusterView, LeasedShard, Role, plan_shards

try:
    import asyncpg  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover
    raise ImportError(f"A cluster needs asyncpg: {install_line('postgres')}") from error

_log = logging.getLogger(__name__)


class MembershipObserver(Protocol):
    """Is notified of changes of a membership."""

    def sessions(self) -> Mapping[int, tuple[str, int, str]]:
        """Return session id, sequence and gateway of each connected shard."""

    def on_shards_acquired(self, shards: list[LeasedShard], lost: float) -> None:
        """Handle new shards; messages of the last `lost` seconds may have been missed on all of ours."""

    def on_shards_released(self, shards: set[int]) -> None:
        """Handle that other members own these shards from now on."""

    def on_evicted(self) -> None:
        """Handle the eviction of this member: it owns nothing any more."""


class Membership:
    """The membership of this process; `start` keeps it alive with heartbeats.

    It has more than 15 attributes because it is both the state of the membership, which many modules read, and the
    timer that renews it.
    """

    def __init__(
        self,
        rows: ClusterRows,
        bot: int,
        *,
        role: Role = "all",
        lease_seconds: float = 10.0,
        clock: Callable[[], float] = boot_clock,
    ) -> None:
        self.name = f"{process_name()}#{secrets.token_hex(3)}"
        self.rows = rows
        self.bot = bot
        self.role = role
        self.lease_seconds = lease_seconds
        # Shards of the whole bot; known after `join`.
        self.shard_count = 0
        # Shards that this process owns and answers on.
        self.owned_shards: set[int] = set()
        # The cluster as the last heartbeat showed it.
        self.view = ClusterView()
        # Whether our shards are connected, so that we may be given more.
        self.is_ready = False
        # Whether we are shutting down and take no more shards.
        self.is_leaving = False
        # Whether another member evicted us; never reset, since the whole bot starts again.
        self.is_evicted = False
        # Returns the number of running answers, for status reports.
        self.count_turns: Callable[[], int] = lambda: 0
        self.observer: MembershipObserver | None = None
        # Handlers of messages of other members, by their kind.
        self.handlers: dict[str, Callable[[Mapping[str, Any]], object]] = {}
        # Called with every view.
        self.checks: list[Callable[[ClusterView], Awaitable[None]]] = []
        # When we joined, by `clock`; 0 before that.
        self.joined_at = 0.0
        # Set while the LISTEN connection is up.
        self.listening = asyncio.Event()
        # Called when cached tables have changed, or may have changed unnoticed.
        self.on_data_changed: Callable[[], object] = lambda: None
        self._clock = clock
        # While it lasts no other member can have evicted us.
        self._lease = MemberLease(lease_seconds, clock)
        self._failure_detector = FailureDetector(lease_seconds * EVICTION_FACTOR)
        # Set to send the next heartbeat at once.
        self._tick_now = asyncio.Event()
        # Seconds since the last heartbeat of each member, in the last two views.
        self._ages: dict[str, float] = {}
        # Whether the log says that the database is away.
        self._logged_outage = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def topic(self) -> str:
        """The NOTIFY topic of the members of this bot."""
        return f"streamcord_{self.bot}"

    @property
    def is_valid(self) -> bool:
        """Whether no other member can have evicted us yet; only then may we send requests."""
        return not self.is_evicted and self._lease.is_valid

    @property
    def is_new(self) -> bool:
        """Whether some members may not have seen us yet."""
        return self._clock() - self.joined_at < self.lease_seconds

    @property
    def is_alone(self) -> bool:
        """Whether there are no other members."""
        return len(self.view.members) <= 1

    def count_established(self, view: ClusterView) -> int:
        """Return the number of members that all others have seen; those that just joined do not count."""
        if self._clock() - self.joined_at > 2 * self._lease.heartbeat_interval_s:
            return len(view.members)
        return sum(one.heartbeats > HEARTBEATS_PER_LEASE for one in view.members)

    async def join(self, wanted: int, advised: int) -> None:
        """Become a member.

        Args:
            wanted: the configured shard count; 0 leaves it to Discord.
            advised: the shard count that Discord recommends.

        """
        self.shard_count = await self.rows.negotiate_shards(self.bot, wanted, advised)
        sent = self._clock()
        await self.rows.join(self.name, self.bot, self.role)
        self._lease.renew(sent)
        self.joined_at = sent
        await self._send_heartbeat()

    def start(self) -> None:
        """Start the tasks that send heartbeats and listen to other members."""
        self._tasks = [asyncio.create_task(self.run()), asyncio.create_task(self._listen())]

    async def leave(self) -> None:
        """Leave the cluster and release everything, so that other members need not wait for a timeout."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._lease.end()
        if not self.is_evicted:
            with suppress(StoreError):
                await self.rows.evict(self.name)
                await self.rows.notify(self.topic, {"look": self.name})

    def tick_soon(self) -> None:
        """Send the next heartbeat at once, because something has changed."""
        self._tick_now.set()

    async def run(self) -> None:
        """Send heartbeats until this member is evicted."""
        while not self.is_evicted:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._lease.heartbeat_interval_s):
                    await self._tick_now.wait()
            self._tick_now.clear()
            await self.tick()

    async def tick(self) -> None:
        """Send one heartbeat, evict silent members, rebalance shards and run all checks."""
        try:
            await self._send_heartbeat()
            await self._evict_silent()
            await self._rebalance_shards()
            for check in self.checks:
                await check(self.view)
        except LeaseLost:
            self.mark_evicted()
        except StoreError as error:
            # Short outages are not worth a line: we may still send until the lease ends.
            if not self._logged_outage and not self.is_valid:
                self._logged_outage = True
                _log.warning("cluster database is away, sending nothing until it is back: %s", error)

    async def notify(self, kind: str, **message: Any) -> None:  # noqa: ANN401 - JSON
        """Send a message to all other members."""
        await self.rows.notify(self.topic, {**message, "kind": kind, "from": self.name})

    # --- One heartbeat --------------------------------------------------------------------------

    async def _send_heartbeat(self) -> None:
        observer = self.observer
        sessions = observer.sessions() if observer else {}
        shards = {shard: sessions.get(shard, ("", 0, "")) for shard in self.owned_shards}
        sent = self._clock()
        view = await self.rows.heartbeat(
            self.name,
            self.bot,
            ready=self.is_ready,
            leaving=self.is_leaving,
            turns=self.count_turns(),
            shards=shards,
        )
        self._lease.renew(sent)
        if self._logged_outage:
            self._logged_outage = False
            _log.warning("cluster database is back")
        before, self.view = self.view, view
        self._ages = {one.name: one.age for one in before.members} | {
            one.name: one.age for one in view.members
        }
        self._release_reassigned(view)
        if gone := before.names() - view.names():
            # A member is gone: its answers on our shards are ours to resume.
            self._on_shards_acquired([], max(self._ages[name] for name in gone))

    def _release_reassigned(self, view: ClusterView) -> None:
        """Release shards that the table assigns to another member: it is always right."""
        ours = {one.shard for one in view.shards if one.owner == self.name}
        if reassigned := self.owned_shards - ours:
            _log.warning("shards %s were assigned to another member: releasing them", sorted(reassigned))
            self._release_shards(reassigned)

    async def _evict_silent(self) -> None:
        others = [one for one in self.view.members if one.name != self.name]
        silent = set(self._failure_detector.find_silent(others, self._clock()))
        for member in others:
            # For processes on our own machine the process table is faster than a timeout.
            if member.name not in silent and not is_dead(member.name.rpartition("#")[0]):
                continue
            if await self.rows.evict(member.name, member.heartbeats):
                _log.warning("member %s timed out; its shards and answers are being reassigned", member.name)
                await self.rows.notify(self.topic, {"look": member.name})
                self._tick_now.set()

    async def _rebalance_shards(self) -> None:
        """Release shards that the plan gives to others, and acquire ours that are free."""
        holders = {one.shard: one.owner for one in self.view.shards}
        if len(holders) < self.shard_count:
            # Rows are missing, for example after the tables were emptied by hand: create them again.
            await self.rows.negotiate_shards(self.bot, self.shard_count, self.shard_count)
        plan = plan_shards(self.shard_count, self.view.members, holders)
        mine = {shard for shard, name in plan.items() if name == self.name}
        if self.is_leaving:
            return
        if extra := self.owned_shards - mine:
            self._release_shards(extra)
            await self.rows.release_shards(self.name, self.bot, extra)
            await self.rows.notify(self.topic, {"look": self.name})
        alive = self.view.names()
        free = {shard for shard in mine - self.owned_shards if holders.get(shard, "") not in alive}
        if free and (taken := await self.rows.acquire_shards(self.name, self.bot, free)):
            self.owned_shards |= {one.shard for one in taken}
            self._on_shards_acquired(taken, max(one.age for one in taken))

    def _on_shards_acquired(self, taken: list[LeasedShard], lost: float) -> None:
        if self.observer is not None:
            self.observer.on_shards_acquired(taken, lost)

    def _release_shards(self, shards: set[int]) -> None:
        self.owned_shards -= shards
        if self.observer is not None:
            self.observer.on_shards_released(shards)

    def mark_evicted(self) -> None:
        """Record that this member was evicted and notify the observer, once."""
        if not self.is_evicted:
            self.is_evicted = True
            _log.warning("evicted from the cluster (lease expired): stopping and rejoining")
            if self.observer is not None:
                self.observer.on_evicted()

    # --- Messages of other members --------------------------------------------------------------

    async def _listen(self) -> None:
        """Listen to other members for ever; reconnect when the connection is lost."""
        failures = 0
        while True:
            connection = None
            try:
                connection = await asyncpg.connect(self.rows.url, timeout=self.lease_seconds / 2)
                lost = asyncio.Event()
                connection.add_termination_listener(lambda _, lost=lost: lost.set())
                await connection.add_listener(self.topic, lambda *args: self.receive(args[3]))
                await connection.add_listener(CHANGES_TOPIC, lambda *_: self.on_data_changed())
                # Messages that were sent before the connection are lost.
                self.on_data_changed()
                self.listening.set()
                self._tick_now.set()
                failures = 0
                await lost.wait()
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
                failures += 1
                # Log once, after a whole lease time.
                if failures == HEARTBEATS_PER_LEASE:
                    why = type(error).__name__
                    _log.warning(
                        "listening to other members failed (%s): stops and edits may not arrive", why
                    )
            finally:
                self.listening.clear()
                if connection is not None:
                    connection.terminate()
            await asyncio.sleep(self._lease.heartbeat_interval_s)

    def receive(self, payload: str) -> None:
        """Handle a message of another member; malformed ones are ignored."""
        try:
            message = json.loads(payload)
        except ValueError:
            return
        if not isinstance(message, dict) or message.get("from") == self.name:
            return
        # "look" asks for a heartbeat now; "free" comes from SQL, which cannot add a kind.
        if "look" in message:
            self._tick_now.set()
        elif "free" in message:
            message["kind"] = "free"
        handler = self.handlers.get(str(message.get("kind", "")))
        if handler is not None:
            handler(message)
