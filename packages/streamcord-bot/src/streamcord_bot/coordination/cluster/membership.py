"""One process as a member of a cluster: its beats, what it holds, and whether it may still speak.

Every beat also shows the whole cluster. From that follow, by the rules of `shard_plan`, who is buried, which
shards are taken and which are given up. What members have to tell each other at once goes by LISTEN/NOTIFY;
whatever is lost on that way is seen at the next beat.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from streamcord import StoreError
from streamcord.databases import is_dead, process_name
from streamcord.utils import install_line

from .read_cache import CHANGED
from .shard_plan import PATIENCE, ClusterView, FailureDetector, LeasedShard, Role, plan_shards
from .tables import ClusterRows, LeaseLost

try:
    import asyncpg  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover
    raise ImportError(f"A cluster needs asyncpg: {install_line('postgres')}") from error

__all__ = ["ClusterWatcher", "Membership", "boot_clock"]

BEATS = 5
"""Beats in one life."""

_log = logging.getLogger("streamcord")


def boot_clock() -> float:
    """Seconds that also pass while this process or its machine is stopped."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class ClusterWatcher(Protocol):
    """Whoever wants to know what becomes of a member."""

    def sessions(self) -> Mapping[int, tuple[str, int, str]]:
        """Session, sequence and gateway of each shard that we listen to."""
        ...

    def gained(self, shards: list[LeasedShard], lost: float) -> None:
        """These shards are ours now; something may have been missed on all of ours for `lost` seconds."""
        ...

    def dropped(self, shards: set[int]) -> None:
        """These shards are not ours any more."""
        ...

    def fenced(self) -> None:
        """We were taken for dead: nothing is ours any more."""
        ...


class Membership:
    """A member; `run` keeps it one."""

    def __init__(
        self,
        rows: ClusterRows,
        bot: int,
        *,
        role: Role = "all",
        life: float = 10.0,
        clock: Callable[[], float] = boot_clock,
    ) -> None:
        self.name = f"{process_name()}#{secrets.token_hex(3)}"
        self.rows = rows
        self.bot = bot
        self.role = role
        self.life = life
        self.count = 0
        """How many shards the bot has."""
        self.held: set[int] = set()
        self.view = ClusterView()
        self.is_ready = self.is_leaving = self.is_lost = False
        self.turns: Callable[[], int] = lambda: 0
        self.watcher: ClusterWatcher | None = None
        self.heard: dict[str, Callable[[Mapping[str, Any]], object]] = {}
        """What to do with messages of other members, by their kind."""
        self.checks: list[Callable[[ClusterView], Awaitable[None]]] = []
        """Who else looks at every view."""
        self.joined = 0.0
        self.listens = asyncio.Event()
        """Whether what others say is heard now."""
        self.changed: Callable[[], object] = lambda: None
        """Called when what everybody reads has changed, or may have."""
        self._clock = clock
        self._valid_until = float("-inf")
        self._watch = FailureDetector(life * PATIENCE)
        self._news = asyncio.Event()
        self._ages: dict[str, float] = {}
        self._silent = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def topic(self) -> str:
        """Where members of this bot tell each other something."""
        return f"streamcord_{self.bot}"

    @property
    def is_valid(self) -> bool:
        """Whether nobody can have taken us for dead yet: only then anything may be sent."""
        return not self.is_lost and self._clock() < self._valid_until

    @property
    def is_new(self) -> bool:
        """Whether some others may not have seen us yet."""
        return self._clock() - self.joined < self.life

    @property
    def is_alone(self) -> bool:
        """Whether nobody else is there."""
        return len(self.view.members) <= 1

    def known(self, view: ClusterView) -> int:
        """How many members everybody knows of; of who has just joined, others may not have heard."""
        if self._clock() - self.joined > 2 * self.life / BEATS:
            return len(view.members)
        return sum(one.beats > BEATS for one in view.members)

    async def join(self, wanted: int, advised: int) -> None:
        """Become a member; afterwards it is known how many shards there are."""
        self.count = await self.rows.negotiate_shards(self.bot, wanted, advised)
        sent = self._clock()
        await self.rows.join(self.name, self.bot, self.role)
        self._valid_until, self.joined = sent + self.life, sent
        await self._beat()

    def start(self) -> None:
        """Beat and listen from now on."""
        self._tasks = [asyncio.create_task(self.run()), asyncio.create_task(self._listen())]

    async def leave(self) -> None:
        """Give everything up, so that nobody has to wait for our death."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._valid_until = float("-inf")
        if not self.is_lost:
            with suppress(StoreError):
                await self.rows.evict(self.name)
                await self.rows.notify(self.topic, {"look": self.name})

    def hurry(self) -> None:
        """Look at once, since something has changed."""
        self._news.set()

    async def run(self) -> None:
        """Beat for ever; ends when we were taken for dead."""
        while not self.is_lost:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.life / BEATS):
                    await self._news.wait()
            self._news.clear()
            await self.tick()

    async def tick(self) -> None:
        """One beat and all that follows from it."""
        try:
            await self._beat()
            await self._bury_silent()
            await self._move_shards()
            for check in self.checks:
                await check(self.view)
        except LeaseLost:
            self.note_lost()
        except StoreError as error:
            if not self._silent and not self.is_valid:
                self._silent = True
                _log.warning("this process says nothing until the cluster's database is back: %s", error)

    async def tell(self, kind: str, **message: Any) -> None:  # noqa: ANN401 - JSON
        """Tell all other members something."""
        await self.rows.notify(self.topic, {**message, "kind": kind, "from": self.name})

    # --- One beat -------------------------------------------------------------------------------

    async def _beat(self) -> None:
        watcher = self.watcher
        sessions = watcher.sessions() if watcher else {}
        shards = {shard: sessions.get(shard, ("", 0, "")) for shard in self.held}
        sent = self._clock()
        view = await self.rows.beat(
            self.name,
            self.bot,
            ready=self.is_ready,
            leaving=self.is_leaving,
            turns=self.turns(),
            shards=shards,
        )
        # From when it was sent on, not from when it was answered: others count from between.
        self._valid_until = sent + self.life
        if self._silent:
            self._silent = False
            _log.warning("the cluster's database is back")
        before, self.view = self.view, view
        self._ages = {one.name: one.age for one in before.members} | {
            one.name: one.age for one in view.members
        }
        self._check_edited(view)
        if gone := before.names() - view.names():
            # What others left behind on our shards is ours to go on with.
            self._note_gained([], max(self._ages[name] for name in gone))

    def _check_edited(self, view: ClusterView) -> None:
        """What somebody else wrote into the table counts: safe first."""
        ours = {one.shard for one in view.shards if one.owner == self.name}
        if strange := self.held - ours:
            _log.warning("shards %s were given to somebody else: this process lets go", sorted(strange))
            self._drop(strange)

    async def _bury_silent(self) -> None:
        others = [one for one in self.view.members if one.name != self.name]
        silent = set(self._watch.look(others, self._clock()))
        for member in others:
            # Of this machine's own processes we know better.
            if member.name not in silent and not is_dead(member.name.rpartition("#")[0]):
                continue
            if await self.rows.evict(member.name, member.beats):
                _log.warning("%s is gone: others go on with what it did", member.name)
                await self.rows.notify(self.topic, {"look": member.name})
                self._news.set()

    async def _move_shards(self) -> None:
        """Give up what should be somebody else's, and take what should be ours and is free."""
        holders = {one.shard: one.owner for one in self.view.shards}
        if len(holders) < self.count:
            await self.rows.negotiate_shards(self.bot, self.count, self.count)
        plan = plan_shards(self.count, self.view.members, holders)
        mine = {shard for shard, name in plan.items() if name == self.name}
        if self.is_leaving:
            return
        if extra := self.held - mine:
            self._drop(extra)
            await self.rows.give_shards(self.name, self.bot, extra)
            await self.rows.notify(self.topic, {"look": self.name})
        alive = self.view.names()
        free = {shard for shard in mine - self.held if holders.get(shard, "") not in alive}
        if free and (taken := await self.rows.take_shards(self.name, self.bot, free)):
            self.held |= {one.shard for one in taken}
            self._note_gained(taken, max(one.age for one in taken))

    def _note_gained(self, taken: list[LeasedShard], lost: float) -> None:
        if self.watcher is not None:
            self.watcher.gained(taken, lost)

    def _drop(self, shards: set[int]) -> None:
        self.held -= shards
        if self.watcher is not None:
            self.watcher.dropped(shards)

    def note_lost(self) -> None:
        """Somebody took us for dead; who finds out first says so."""
        if not self.is_lost:
            self.is_lost = True
            _log.warning("this process was taken for dead: it stops at once, and begins anew")
            if self.watcher is not None:
                self.watcher.fenced()

    # --- What others say ------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Hear other members for ever, over losses of the connection."""
        failures = 0
        while True:
            connection = None
            try:
                connection = await asyncpg.connect(self.rows.url, timeout=self.life / 2)
                lost = asyncio.Event()
                connection.add_termination_listener(lambda _, lost=lost: lost.set())
                await connection.add_listener(self.topic, lambda *told: self.hear(told[3]))
                await connection.add_listener(CHANGED, lambda *_: self.changed())
                # Nobody knows what was said before.
                self.changed()
                self.listens.set()
                self._news.set()
                failures = 0
                await lost.wait()
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
                failures += 1
                if failures == BEATS:
                    why = type(error).__name__
                    _log.warning(
                        "other processes are not heard (%s): stops and edits may not reach them", why
                    )
            finally:
                self.listens.clear()
                if connection is not None:
                    connection.terminate()
            await asyncio.sleep(self.life / BEATS)

    def hear(self, payload: str) -> None:
        """Do what another member wants; what makes no sense is ignored."""
        try:
            message = json.loads(payload)
        except ValueError:
            return
        if not isinstance(message, dict) or message.get("from") == self.name:
            return
        if "look" in message:
            self._news.set()
        elif "free" in message:
            message["kind"] = "free"
        act = self.heard.get(str(message.get("kind", "")))
        if act is not None:
            act(message)
