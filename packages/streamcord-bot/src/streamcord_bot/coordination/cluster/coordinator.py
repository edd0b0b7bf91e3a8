"""Coordinate one process of a cluster: its shards, the answers it resumes, and how it leaves.

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

from streamcord import SettingsError, StopMode, StopOutcome, StopRequester, StoreError
from streamcord.discord import block_requests, share_requests
from streamcord.store import Store, TurnJournal, open_store

from ...listening.channel_queue import Deferred
from ...listening.dispatcher import Dispatcher
from ...messages.question import Question
from ...ops.metrics import Metrics
from ...state import BotState
from ..base import CoordinatedClient, Recover
from . import (
    ChannelLeases,
    ClusterJournal,
    ClusterRows,
    ClusterView,
    LeasedShard,
    Membership,
    Role,
    SharedRate,
    open_cached_store,
    open_rows,
    shard_of,
)
from .request_guard import close_sockets_on_wake, guard_requests
from .session_replay import missed_messages
from .shard_sessions import ShardSessions
from .status import cluster_metrics

if TYPE_CHECKING:
    from ...config import BotConfig

CLOCK_MARGIN_S = 60.0
"""Extra time that is searched for missed messages: message ids carry Discord's time, not that of our machine."""
CLEANUP_INTERVAL_S = 3600.0

_log = logging.getLogger(__name__)


async def open_cluster(
    config: BotConfig, role: Role = "all", clock: Callable[[], float] = time.time
) -> Cluster:
    """Connect to the cluster of the configuration file.

    Raises:
        SettingsError: the journal is off, which a cluster needs.
        StoreError: the database cannot be reached.

    """
    if not config.durability.journal:
        raise SettingsError("durability.journal", "on in a cluster: other processes resume answers from it")
    rows = await open_rows(config.cluster.address(config.store), config.cluster.lease)
    return Cluster(rows, config, role, clock)


class Cluster:
    """Coordinates one process among several and observes its membership.

    It has more than 15 attributes because it connects the membership with the client, the dispatcher, the journal
    and recovery, which come into being at different times.
    """

    has_peers = True

    def __init__(
        self,
        rows: ClusterRows,
        config: BotConfig,
        role: Role = "all",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.member = Membership(rows, 0, role=role, lease_seconds=config.cluster.lease)
        self.journal = ClusterJournal(self.member, clock)
        self.stops = ChannelLeases(self.member)
        self.stops.flush_journal = self.journal.flush
        self.stops.shard_of = self._shard_of_channel
        # Always 0: recovery is started by `on_shards_acquired`, which knows how long a shard was unowned.
        self.last_heartbeat = 0.0
        # Whether another member evicted us, so that the bot must start again.
        self.was_evicted = False
        # Recovery runs since the start, for metrics.
        self.recoveries = 0
        # Seconds between two identifies with the same key.
        self.identify_pause = config.cluster.identify_pause
        # Number of identify keys; Discord states it with the gateway address.
        self.max_concurrency = 1
        self.rate = SharedRate(self._acquire_block, lambda: asyncio.get_running_loop().time())
        self.shards: ShardSessions
        self._config = config
        self._clock = clock
        self._client: CoordinatedClient
        self._dispatcher: Dispatcher
        self._state: BotState
        self._recover: Recover
        # Since when messages may have been missed; 0 if nothing, `None` if no recovery is due.
        self._recover_since: float | None = None
        # Gateway sessions of former owners that may still be resumed.
        self._old_sessions: list[LeasedShard] = []
        # Shards acquired since the last recovery began.
        self._acquired_shards: set[int] = set()
        # Shards of the recovery that runs now; `None` if none runs.
        self._recovering_shards: set[int] | None = None
        # Keeps forwarded edits and deletions in order.
        self._forward_lock = asyncio.Lock()
        self._recovering: asyncio.Task[None] | None = None
        # When old questions were last deleted.
        self._cleaned_at = 0.0
        # Whether the requests of this process are blocked by the cluster.
        self._requests_blocked = False
        self.member.observer = self
        self.member.checks.append(self._check)
        self.member.handlers |= {
            "edit": self._on_edit,
            "delete": self._on_delete,
            "follow_up": self._on_follow_up,
        }

    async def open_store(self) -> Store:
        """Open the store; reads are cached if it is in the cluster's database, which notifies us of changes."""
        where = self._config.store
        if self._config.cluster.address(where) != where:
            return await open_store(where, clock=self._clock)
        return await open_cached_store(where, self.member, self._clock)

    def request_trace(self) -> aiohttp.TraceConfig | None:
        """Return a trace that checks every request of the client before it is sent."""
        return guard_requests(self._may_send)

    def _may_send(self) -> bool:
        return not self.member.joined_at or self.member.is_valid

    def guard_wake_up(self, bot: discord.Client) -> AbstractContextManager[None]:
        """Return a context that checks the lease again when this process continues after a SIGSTOP."""
        return close_sockets_on_wake(self._may_send, lambda: bot.http.connector)

    def bind(self, bot: CoordinatedClient) -> None:
        """Set the client, whose sessions are opened and closed with the shards."""
        self._client = bot
        self.shards = ShardSessions(bot, self.member, self.stops)

    def attach(self, dispatcher: Dispatcher, state: BotState, metrics: Metrics, recover: Recover) -> None:
        """Set the parts of the bot that exist after its login."""
        self._dispatcher, self._state, self._recover = dispatcher, state, recover
        self.member.count_turns = lambda: len(state.running_turns)
        metrics.gauges.append(lambda: cluster_metrics(self.member, self.rate.blocks, self.recoveries))
        # A REST proxy keeps the rate limits of all processes by itself.
        rate = None if self._config.discord.rest else self.rate
        share_requests(self._client, rate, self._on_requests_blocked)

    # --- Life cycle -----------------------------------------------------------------------------

    def owns_guild(self, guild: int) -> bool:
        """Return whether this process answers on a server; 0 is direct messages."""
        return shard_of(guild, self.member.shard_count) in self.member.owned_shards

    def is_assigned(self, guild: int) -> bool:
        """Return whether recovering the answers of a server is up to this process."""
        return self.owns_guild(guild)

    async def begin(self) -> None:
        """Join the cluster and acquire free shards."""
        client = self._client
        assert client.user is not None
        self.member.bot = client.user.id
        advised, _, limits = await client.http.get_bot_gateway()
        self.max_concurrency = max(1, int(limits.get("max_concurrency", 1)))
        # A gateway member connects a shard when it gets it, so it is ready at once.
        self.member.is_ready = self.member.role == "gateway"
        await self.member.join(self._config.discord.shard_count, advised)
        await self.member.tick()
        self.member.start()
        _log.info(
            "member %s of a cluster: %d of %d shards",
            self.member.name,
            len(self.member.owned_shards),
            self.member.shard_count,
        )

    async def run(self) -> None:
        """Do nothing: `Membership` sends heartbeats in a task of its own."""

    async def wait(self) -> None:
        """Return at once: events of shards that we do not own are filtered where they arrive."""

    def on_ready(self) -> None:
        """Report to the cluster that all sessions are connected."""
        self.member.is_ready = True
        self.member.tick_soon()

    async def retire(self) -> None:
        """Release all shards, so that others receive new messages; running answers continue."""
        self.member.is_leaving = True
        shards, self.member.owned_shards = self.member.owned_shards, set()
        with suppress(StoreError):
            await self.member.rows.release_shards(self.member.name, self.member.bot, shards)
            await self.member.rows.notify(self.member.topic, {"look": self.member.name})

    async def release(self) -> None:
        """Write the journal and leave, so that other members need not wait for a timeout."""
        if not self.member.is_evicted:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.member.lease_seconds):
                    await self.journal.flush()
        self.shards.close()
        await self.member.leave()

    async def close(self) -> None:
        """Close the connections."""
        await self.journal.close()

    # --- MembershipObserver ---------------------------------------------------------------------

    def sessions(self) -> Mapping[int, tuple[str, int, str]]:
        """Return session id, sequence and gateway of the connected shards."""
        found = {}
        for shard, info in getattr(self._client, "shards", {}).items():
            socket: Any = getattr(getattr(info, "_parent", None), "ws", None)
            session = getattr(socket, "session_id", None)
            if session:
                gateway = str(getattr(socket, "gateway", ""))
                found[shard] = (str(session), int(socket.sequence or 0), gateway)
        return found

    def on_shards_acquired(self, shards: list[LeasedShard], lost: float) -> None:
        """Resume interrupted answers on these shards and search for missed messages."""
        if shards:
            _log.info("acquired shards %s", ", ".join(str(one.shard) for one in shards))
        self.shards.update()
        self._old_sessions += [one for one in shards if one.session]
        self._acquired_shards |= {one.shard for one in shards}
        # A shard that was never owned has missed nothing.
        since = self._clock() - lost - CLOCK_MARGIN_S if lost >= 0 else 0.0
        self._recover_since = (
            since if self._recover_since is None else min(self._recover_since, since) or since
        )
        if self._recovering is None or self._recovering.done():
            self._recovering = self._state.run_later(self._run_recovery())

    def on_shards_released(self, shards: set[int]) -> None:
        """Close the sessions of shards that another member owns now."""
        _log.info("released shards %s", ", ".join(map(str, sorted(shards))))
        self.shards.update()

    def on_evicted(self) -> None:
        """Stop at once; `app.run` starts the bot again."""
        self.was_evicted = True
        self._state.run_later(self._end())

    async def _end(self) -> None:
        asyncio.ensure_future(self._client.abandon())  # noqa: RUF006 - it closes what this task belongs to

    async def _run_recovery(self) -> None:
        while self._recover_since is not None:
            await self.shards.wait_ready(self.member.owned_shards)
            since, self._recover_since = self._recover_since, None
            self._recovering_shards, self._acquired_shards = self._acquired_shards, set()
            self.recoveries += 1
            try:
                await self._recover(since, self._receive_missed)
            except (StoreError, discord.DiscordException, aiohttp.ClientError, OSError) as error:
                _log.warning("recovery of acquired shards failed, retrying: %s", error)
                self._recover_since = since
                self._acquired_shards |= self._recovering_shards
                await asyncio.sleep(self.member.lease_seconds / 5)
            finally:
                self._recovering_shards = None

    def may_have_missed(self, guild: int) -> bool:
        """Return whether messages of a server may have been missed: on new shards, or after an outage."""
        return (
            self._recovering_shards is None
            or shard_of(guild, self.member.shard_count) in self._recovering_shards
        )

    async def _receive_missed(self) -> None:
        """Receive the messages that the former owners of our shards missed, from their old sessions."""
        old, self._old_sessions = self._old_sessions, []
        for lease in old:
            messages = await missed_messages(self._client, lease)
            answered = await self.journal.claims.answered([one.id for one in messages])
            for message in messages:
                if message.id not in answered:
                    await self._client.receive_missed(message)

    async def _check(self, view: ClusterView) -> None:
        """Apply what the cluster view says about requests, and write what waits for the next heartbeat."""
        member = self.member
        self.rate.set_members(len(view.members), is_new=member.is_new, known=member.count_established(view))
        if bool(view.stopped) != self._requests_blocked or view.stopped:
            self._requests_blocked = bool(view.stopped)
            block_requests(self._client, view.stopped, view.reason)
        await self.journal.claims.write_cursors()
        if time.monotonic() - self._cleaned_at > CLEANUP_INTERVAL_S:
            self._cleaned_at = time.monotonic()
            await self.journal.claims.forget_old()

    # --- Requests -------------------------------------------------------------------------------

    def on_shard_ready(self, shard: int) -> None:
        """Handle that the guilds of a shard are known."""
        self.shards.on_ready(shard)

    async def launch_shards(self) -> bool:
        """Connect the shards that the cluster assigned to this process."""
        await self.shards.open()
        return True

    async def identify_pause_of(self, shard: int) -> float | None:
        """Reserve a moment to identify and return the seconds until then."""
        try:
            key = shard % self.max_concurrency
            return await self.member.rows.reserve_identify(self.member.bot, key, self.identify_pause)
        except StoreError:
            # Without the database we cannot know of others: the usual pause is the best guess.
            return self.identify_pause

    async def _acquire_block(self, count: int, rate: float, ahead: float) -> float | None:
        return await self.member.rows.acquire_block(self.member.bot, count, rate, ahead)

    def _on_requests_blocked(self, seconds: float, reason: str) -> None:
        """Block the requests of all members, because Discord accepts none of this bot for a while."""
        # Shorter blocks are over before the others receive them.
        if seconds >= 1.0:
            self._state.run_later(self._block_everywhere(seconds, reason))

    async def _block_everywhere(self, seconds: float, reason: str) -> None:
        with suppress(StoreError):
            await self.member.rows.stop_all(self.member.bot, seconds, reason)
            await self.member.rows.notify(self.member.topic, {"look": self.member.name})

    # --- Answers that another process writes ----------------------------------------------------

    async def claim(self, ids: list[int], question: Question) -> bool:
        """Claim the messages of a question; false if another process has claimed or answered all of them."""
        claims = self.journal.claims
        unanswered = [id_ for id_ in ids if not self.journal.was_answered(id_)]
        guild = self._guild_of(question.channel)
        limits = self._dispatcher.limits_left(question.payer, guild)
        try:
            taken, pause = await claims.claim_within_limits(
                unanswered, question.channel, question.owner, guild, *limits
            )
            if pause:
                raise Deferred(pause)
            if left := [id_ for id_ in unanswered if id_ not in taken]:
                # Their owner may die before its answer begins; then we may receive them again.
                self._dispatcher.release(await claims.claimed_elsewhere(left))
        except StoreError as error:
            _log.warning(
                "claiming a question of the cluster in channel %d failed, answering it anyway: %s",
                question.channel,
                error,
            )
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
        """Notify the process that answers this author in this channel: its answer ends."""
        self.forward("follow_up", channel, author=author, id=message)

    def _on_follow_up(self, message: Mapping[str, Any]) -> None:
        # Both processes may have received the question itself, so only later messages count.
        running = self._dispatcher.running_in(message["channel"])
        is_new = running and running.owner == message["author"] and running.messages[-1].id < message["id"]
        # Where follow-ups wait, the other process answers this one when it is its turn.
        if running and is_new and running.follow_up == "interrupt":
            self._state.run_later(self._stop_running(message["channel"], running))

    async def _stop_running(self, channel: int, question: Question) -> None:
        # A stop marks the question as answered. The next answer in the channel is not meant.
        if self._dispatcher.running_in(channel) is question:
            await self.stops.ask_here(channel, StopRequester(question.owner))

    async def stop_elsewhere(
        self,
        channel: int,
        asker: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
    ) -> StopOutcome:
        """Stop an answer that another process writes."""
        return await self.stops.ask_elsewhere(channel, asker, mode)

    def forward(self, kind: str, channel: int, **message: Any) -> None:  # noqa: ANN401 - JSON
        """Forward an edit or a deletion of a question that another process answers."""
        if self.stops.owner_elsewhere(channel):
            self._state.run_later(self._forward(kind, channel, message))

    async def _forward(self, kind: str, channel: int, message: Mapping[str, Any]) -> None:
        # Keep the order of edits and deletions.
        async with self._forward_lock:
            with suppress(StoreError):
                await self.member.notify(kind, channel=channel, **message)

    def _on_edit(self, message: Mapping[str, Any]) -> None:
        self._dispatcher.edit(message["channel"], message["id"], message["text"])

    def _on_delete(self, message: Mapping[str, Any]) -> None:
        self._dispatcher.delete(message["channel"], message["id"])

    def _guild_of(self, channel: int) -> int:
        guild = getattr(self._client.get_channel(channel), "guild", None)
        return guild.id if guild else 0

    def _shard_of_channel(self, channel: int) -> int:
        return shard_of(self._guild_of(channel), self.member.shard_count)
