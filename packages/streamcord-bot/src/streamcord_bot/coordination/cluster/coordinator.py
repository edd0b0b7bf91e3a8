"""The bot as a member of a cluster: which shards it hears, what it goes on with, how it leaves.

It implements `coordination.base.Coordinator`, as `SingleProcess` does for a bot without a cluster.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

import aiohttp
import discord

from streamcord import SettingsError, StopOutcome, StopRequester, StoreError
from streamcord.discord import block_requests, share_requests
from streamcord.store import Store, TurnJournal, open_store

from ...listening.channel_queue import Deferred
from ...listening.dispatcher import Dispatcher
from ...messages.question import Question
from ...ops.metrics import Metrics
from ...state import BotState
from ..base import Recover
from . import (
    ClusterJournal,
    ClusterRows,
    ClusterStops,
    ClusterView,
    LeasedShard,
    Membership,
    Role,
    SharedRate,
    open_cached_store,
    open_rows,
    shard_of,
)
from .request_guard import guard_requests, shut_when_woken
from .session_replay import missed_messages
from .shard_sessions import ShardSessions
from .status import cluster_metrics

if TYPE_CHECKING:
    from ...config.bot_config import BotConfig

__all__ = ["Cluster", "open_cluster"]

MARGIN = 60.0
"""Seconds more that are read back: clocks of machines differ, and Discord's ids tell its own time."""
CLEAN_EVERY = 3600.0

_log = logging.getLogger(__name__)


async def open_cluster(
    config: BotConfig, role: Role = "all", clock: Callable[[], float] = time.time
) -> Cluster:
    """Connect to the cluster that the file names."""
    if not config.durability.journal:
        raise SettingsError("durability.journal", "on in a cluster: others go on by it")
    rows = await open_rows(config.cluster.address(config.store), config.cluster.lease)
    return Cluster(rows, config, role, clock)


class Cluster:
    """Coordinates one process among several and watches its membership."""

    has_peers = True

    def __init__(
        self,
        rows: ClusterRows,
        config: BotConfig,
        role: Role = "all",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.member = Membership(rows, 0, role=role, life=config.cluster.lease)
        self.journal = ClusterJournal(self.member, clock)
        self.stops = ClusterStops(self.member)
        self.stops.flush_journal = self.journal.flush
        self.stops.shard_of = self._shard_of_channel
        self.last_heartbeat = 0.0
        self.was_fenced = False
        self.recoveries = 0
        self.identify_pause = config.cluster.identify_pause
        self.max_concurrency = 1
        self.rate = SharedRate(self._take_block, lambda: asyncio.get_running_loop().time())
        self.shards: ShardSessions
        self._config = config
        self._clock = clock
        self._client: discord.AutoShardedClient
        self._dispatcher: Dispatcher
        self._state: BotState
        self._recover: Recover
        self._since: float | None = None
        self._old: list[LeasedShard] = []
        self._gained: set[int] = set()
        self._reading: set[int] | None = None
        self._in_order = asyncio.Lock()
        self._recovering: asyncio.Task[None] | None = None
        self._cleaned = 0.0
        self._stopped = False
        self.member.watcher = self
        self.member.checks.append(self._check)
        self.member.heard |= {
            "edit": self._hear_edit,
            "delete": self._hear_delete,
            "follow_up": self._hear_follow_up,
        }

    async def open_store(self) -> Store:
        """The store; what is read for every question is remembered where changes of it are heard of."""
        where = self._config.store
        if self._config.cluster.address(where) != where:
            return await open_store(where, clock=self._clock)
        return await open_cached_store(where, self.member, self._clock)

    def request_trace(self) -> aiohttp.TraceConfig | None:
        """Return a trace that checks every request of the client before it is sent."""
        return guard_requests(self._may_send)

    def _may_send(self) -> bool:
        return not self.member.joined or self.member.is_valid

    def guard_waking(self, bot: discord.Client) -> AbstractContextManager[None]:
        """Looks once more when this process is woken after a stop."""
        return shut_when_woken(self._may_send, lambda: bot.http.connector)

    def bind(self, bot: discord.AutoShardedClient) -> None:
        """Set the client whose sessions come and go with the shards."""
        self._client = bot
        self.shards = ShardSessions(bot, self.member, self.stops)

    def attach(self, dispatcher: Dispatcher, state: BotState, metrics: Metrics, recover: Recover) -> None:
        """Set the parts of the bot that exist after its login."""
        self._dispatcher, self._state, self._recover = dispatcher, state, recover
        self.member.turns = lambda: len(state.running_turns)
        metrics.gauges = lambda: cluster_metrics(self.member, self.rate.blocks, self.recoveries)
        # A proxy counts for all processes by itself.
        rate = None if self._config.discord.rest else self.rate
        share_requests(self._client, rate, self._tell_stop)

    # --- Life cycle -----------------------------------------------------------------------------

    def covers(self, guild: int) -> bool:
        """Whether this process answers on a server; 0 is direct messages."""
        return shard_of(guild, self.member.count) in self.member.held

    def is_assigned(self, guild: int) -> bool:
        """Return whether recovering the answers of a server is up to this process."""
        return self.covers(guild)

    async def begin(self) -> None:
        """Join, and take what is free."""
        client = self._client
        assert client.user is not None
        self.member.bot = client.user.id
        advised, _, limits = await client.http.get_bot_gateway()
        self.max_concurrency = max(1, int(limits.get("max_concurrency", 1)))
        # Whoever only listens to its own shards can hear them as soon as it has them.
        self.member.is_ready = self.member.role == "gateway"
        await self.member.join(self._config.discord.shard_count, advised)
        await self.member.tick()
        self.member.start()
        _log.info(
            "member %s of a cluster: %d of %d shards",
            self.member.name,
            len(self.member.held),
            self.member.count,
        )

    async def run(self) -> None:
        """The member beats by itself."""

    async def wait(self) -> None:
        """Nothing to wait for: what is not ours is filtered where it is met."""

    def on_ready(self) -> None:
        """All sessions are there."""
        self.member.is_ready = True
        self.member.hurry()

    async def retire(self) -> None:
        """Hear nothing more, so that others hear it; running answers go on."""
        self.member.is_leaving = True
        held, self.member.held = self.member.held, set()
        with suppress(StoreError):
            await self.member.rows.give_shards(self.member.name, self.member.bot, held)
            await self.member.rows.notify(self.member.topic, {"look": self.member.name})

    async def release(self) -> None:
        """Leave, so that nobody has to wait for our death."""
        if not self.member.is_lost:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.member.life):
                    await self.journal.flush()
        self.shards.close()
        await self.member.leave()

    async def close(self) -> None:
        """Close the connections."""
        await self.journal.close()

    # --- What becomes of the member -------------------------------------------------------------

    def sessions(self) -> Mapping[int, tuple[str, int, str]]:
        """Session, sequence and gateway of the shards that we listen to."""
        found = {}
        for shard, info in getattr(self._client, "shards", {}).items():
            socket: Any = getattr(getattr(info, "_parent", None), "ws", None)
            session = getattr(socket, "session_id", None)
            if session:
                gateway = str(getattr(socket, "gateway", ""))
                found[shard] = (str(session), int(socket.sequence or 0), gateway)
        return found

    def gained(self, shards: list[LeasedShard], lost: float) -> None:
        """Go on with what broke off there, and look for what was missed."""
        if shards:
            _log.info("shards %s are ours now", ", ".join(str(one.shard) for one in shards))
        self.shards.adjust()
        self._old += [one for one in shards if one.session]
        self._gained |= {one.shard for one in shards}
        since = self._clock() - lost - MARGIN if lost >= 0 else 0.0
        self._since = since if self._since is None else min(self._since, since) or since
        if self._recovering is None or self._recovering.done():
            self._recovering = self._state.run_later(self._run_recovery())

    def dropped(self, shards: set[int]) -> None:
        """Somebody else listens there from now on."""
        _log.info("shards %s go to another process", ", ".join(map(str, sorted(shards))))
        self.shards.adjust()

    def fenced(self) -> None:
        """Stop at once; the whole bot begins anew."""
        self.was_fenced = True
        self._state.run_later(self._end())

    async def _end(self) -> None:
        client: Any = self._client
        asyncio.ensure_future(client.abandon())  # noqa: RUF006 - it closes what this task belongs to

    async def _run_recovery(self) -> None:
        while self._since is not None:
            await self.shards.ready(self.member.held)
            since, self._since = self._since, None
            self._reading, self._gained = self._gained, set()
            self.recoveries += 1
            try:
                await self._recover(since, self._hear_missed)
            except (StoreError, discord.DiscordException, aiohttp.ClientError, OSError) as error:
                _log.warning("what others left is looked for again: %s", error)
                self._since = since
                self._gained |= self._reading
                await asyncio.sleep(self.member.life / 5)
            finally:
                self._reading = None

    def may_have_missed(self, guild: int) -> bool:
        """Whether somebody may have been unheard on a server: on what we just took, or after an outage."""
        return self._reading is None or shard_of(guild, self.member.count) in self._reading

    async def _hear_missed(self) -> None:
        """What the old sessions of our shards still have to tell."""
        client: Any = self._client
        old, self._old = self._old, []
        for lease in old:
            messages = await missed_messages(client, lease)
            answered = await self.journal.claims.answered([one.id for one in messages])
            for message in messages:
                if message.id not in answered:
                    await client.hear_missed(message)

    async def _check(self, view: ClusterView) -> None:
        """What every beat brings besides."""
        member = self.member
        self.rate.set_members(len(view.members), is_new=member.is_new, known=member.known(view))
        if bool(view.stopped) != self._stopped or view.stopped:
            self._stopped = bool(view.stopped)
            block_requests(self._client, view.stopped, view.reason)
        await self.journal.claims.write_cursors()
        if time.monotonic() - self._cleaned > CLEAN_EVERY:
            self._cleaned = time.monotonic()
            await self.journal.claims.forget_old()

    # --- Requests -------------------------------------------------------------------------------

    def on_shard_ready(self, shard: int) -> None:
        """Handle that the guilds of a shard are known."""
        self.shards.note_ready(shard)

    async def launch_shards(self) -> bool:
        """Connect the shards that the cluster assigned to this process."""
        await self.shards.open()
        return True

    async def identify_pause_of(self, shard: int) -> float | None:
        """Book a moment to identify; seconds until then."""
        try:
            key = shard % self.max_concurrency
            return await self.member.rows.identify_in(self.member.bot, key, self.identify_pause)
        except StoreError:
            return self.identify_pause

    async def _take_block(self, count: int, rate: float, ahead: float) -> float | None:
        return await self.member.rows.acquire_block(self.member.bot, count, rate, ahead)

    def _tell_stop(self, seconds: float, reason: str) -> None:
        """Discord takes no requests: the others must know."""
        if seconds >= 1.0:
            self._state.run_later(self._tell_all(seconds, reason))

    async def _tell_all(self, seconds: float, reason: str) -> None:
        with suppress(StoreError):
            await self.member.rows.stop_all(self.member.bot, seconds, reason)
            await self.member.rows.notify(self.member.topic, {"look": self.member.name})

    # --- Answers that another process writes ----------------------------------------------------

    async def claim(self, ids: list[int], question: Question) -> bool:
        """Claim the messages of a question; false if another process has claimed or answered all of them."""
        claims = self.journal.claims
        unanswered = [id_ for id_ in ids if not self.journal.was_answered(id_)]
        guild = self._guild_of(question.channel)
        limits = self._dispatcher.left_for(question.payer, guild)
        try:
            taken, pause = await claims.take_within(
                unanswered, question.channel, question.owner, guild, *limits
            )
            if pause:
                raise Deferred(pause)
            if left := [id_ for id_ in unanswered if id_ not in taken]:
                # Their process may die before it has said anything; then they are received again.
                self._dispatcher.release(await claims.taken_elsewhere(left))
        except StoreError as error:
            _log.warning("claiming a question in channel %d failed: %s", question.channel, error)
            return True
        if taken:
            # The conversation around the last message may be read at this moment, so the list is replaced.
            question.messages = [one for one in question.messages if one.id in taken or one.id not in ids]
        return bool(taken)

    async def may_resume(self, turn: TurnJournal) -> bool:
        """Return whether no other process has resumed this turn while it waited here."""
        return await self.journal.is_unchanged(turn)

    async def mark_answered(self, ids: list[int], timeout_s: float | None = None) -> None:  # noqa: ARG002
        """Record that these messages are answered; it is written together with the end of the turn."""
        self.journal.mark_answered(ids)

    def follow_up(self, channel: int, author: int, message: int) -> None:
        """Somebody goes on while another process answers them: that answer ends."""
        self.pass_on("follow_up", channel, author=author, id=message)

    def _hear_follow_up(self, message: Mapping[str, Any]) -> None:
        # Both may have heard the very question that is being answered.
        running = self._dispatcher.running_in(message["channel"])
        if running and running.owner == message["author"] and running.messages[-1].id < message["id"]:
            self._state.run_later(self._stop_running(message["channel"], running))

    async def _stop_running(self, channel: int, question: Question) -> None:
        # As a stop, so that nobody takes its question for unanswered; if it is over, nobody else's is meant.
        if self._dispatcher.running_in(channel) is question:
            await self.stops.ask_here(channel, StopRequester(question.owner))

    async def stop_elsewhere(self, channel: int, asker: StopRequester) -> StopOutcome:
        """Stop an answer that another process writes."""
        return await self.stops.ask_elsewhere(channel, asker)

    def pass_on(self, kind: str, channel: int, **message: Any) -> None:  # noqa: ANN401 - JSON
        """A question that another process answers was edited or deleted."""
        if self.stops.elsewhere(channel):
            self._state.run_later(self._pass_on(kind, channel, message))

    async def _pass_on(self, kind: str, channel: int, message: Mapping[str, Any]) -> None:
        # An edit and a deletion arrive as they happened.
        async with self._in_order:
            with suppress(StoreError):
                await self.member.tell(kind, channel=channel, **message)

    def _hear_edit(self, message: Mapping[str, Any]) -> None:
        self._dispatcher.edit(message["channel"], message["id"], message["text"])

    def _hear_delete(self, message: Mapping[str, Any]) -> None:
        self._dispatcher.delete(message["channel"], message["id"])

    def _guild_of(self, channel: int) -> int:
        guild = getattr(self._client.get_channel(channel), "guild", None)
        return guild.id if guild else 0

    def _shard_of_channel(self, channel: int) -> int:
        return shard_of(self._guild_of(channel), self.member.count)
