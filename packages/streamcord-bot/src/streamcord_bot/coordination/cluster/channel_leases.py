"""Channel leases: one turn at a time in a channel across all processes, and stops that reach it anywhere.

Each lease has a fence number that grows with every new lease. A heartbeat may show a state from before we
acquired a channel; comparing fences tells which of the two is newer.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from streamcord import RunningTurns, Stop, StopMode, StopOutcome, StopRequester, StoreError

from .membership import Membership
from .shard_plan import ClusterView

IDLE_RELEASE_S = 1.0
"""A channel is kept for this long after a turn, so that the next turn there needs no statement."""
POLL_INTERVAL_S = 1.0
"""Time between two attempts to acquire a channel, if no notification arrives."""
STOP_REPLY_TIMEOUT_S = 1.0
"""Time that another process has to confirm a stop."""

_log = logging.getLogger(__name__)


class ChannelLeases(RunningTurns):
    """The turns of this process, each in a channel that this process leases."""

    def __init__(self, member: Membership, *, per_channel: int = 1, roles: Collection[int] = ()) -> None:
        super().__init__(per_channel=per_channel, roles=roles)
        # Waits until the journal of finished turns is written; false if it cannot be.
        self.flush_journal: Callable[[], Awaitable[bool]] = _nothing_to_write
        # Returns the shard of a channel.
        self.shard_of: Callable[[int], int] = lambda _: 0
        self._member = member
        # Fence numbers of the channels that we lease.
        self._fences: dict[int, int] = {}
        # Number of turns that run or wait in each channel.
        self._users: dict[int, int] = {}
        # Leased channels without turns, and since when.
        self._idle: dict[int, float] = {}
        # Set when a channel that we wait for may be free.
        self._freed: dict[int, asyncio.Event] = {}
        # Stops that we asked other processes for, by request number.
        self._pending_stops: dict[str, asyncio.Future[StopOutcome]] = {}
        self._numbers = itertools.count()
        self._tasks: set[asyncio.Task[None]] = set()
        member.handlers |= {"free": self._on_free, "stop": self._on_stop, "stopped": self._on_stopped}
        member.checks.append(self.check)

    @asynccontextmanager
    async def turn(self, channel: int, owner: int | None = None) -> AsyncIterator[Stop]:
        """Wait for the channel, first in this process, then among all processes."""
        async with super().turn(channel, owner) as stop:
            await self._acquire(channel, owner or 0)
            try:
                yield stop
            finally:
                self._leave(channel)

    def owner_elsewhere(self, channel: int) -> str:
        """Return the other member that answers in a channel of ours, as of the last heartbeat; empty if none."""
        for one in self._member.view.channels:
            if one.channel == channel and one.owner != self._member.name:
                return one.owner
        return ""

    async def ask(
        self,
        channel: int,
        asker: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
        *,
        token: int | None = None,
    ) -> StopOutcome:
        """Ask the turns in the channel to end, here or in another process."""
        answer = await self.ask_here(channel, asker, mode, token=token)
        if answer is StopOutcome.NOTHING and channel not in self._users and not self._member.is_alone:
            return await self.ask_elsewhere(channel, asker, mode)
        return answer

    ask_here = RunningTurns.ask
    """Ask only the turns of this process."""

    def is_busy(self, channel: int) -> bool:
        """Return whether a turn of this process runs or waits in a channel."""
        return channel in self._users

    # --- Channels -------------------------------------------------------------------------------

    async def _acquire(self, channel: int, person: int) -> None:
        self._users[channel] = self._users.get(channel, 0) + 1
        self._idle.pop(channel, None)
        try:
            while channel not in self._fences:
                await self._try_acquire(channel, person)
        except BaseException:
            self._leave(channel)
            raise

    async def _try_acquire(self, channel: int, person: int) -> None:
        """Acquire the channel, or wait until it may be free."""
        member = self._member
        # Created before the statement, so that a notification that arrives meanwhile is not lost.
        free = self._freed.setdefault(channel, asyncio.Event())
        free.clear()
        try:
            shard = self.shard_of(channel)
            owner, fence = await member.rows.lease_channel(member.name, member.bot, channel, shard, person)
        except StoreError as error:
            _log.debug("leasing channel %s failed, retrying: %s", channel, error)
        else:
            if owner == member.name:
                self._fences[channel] = fence
                self._freed.pop(channel, None)
                return
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL_INTERVAL_S):
                await free.wait()

    def _leave(self, channel: int) -> None:
        self._users[channel] -= 1
        if not self._users[channel]:
            del self._users[channel]
            if channel in self._fences:
                self._idle[channel] = asyncio.get_running_loop().time()
                self._run(self._release_later())

    async def _release_later(self) -> None:
        await asyncio.sleep(IDLE_RELEASE_S)
        await self.release_idle(IDLE_RELEASE_S / 2)

    async def release_idle(self, seconds: float = 0.0) -> None:
        """Release channels that were idle for `seconds`, once their journal is written."""
        now = asyncio.get_running_loop().time()
        due = [channel for channel, since in self._idle.items() if now - since >= seconds]
        # Another process may take the channel over only after it can read all our rows.
        if not due or not await self.flush_journal():
            return
        # A turn may have begun while we waited.
        due = [channel for channel in due if channel in self._idle]
        for channel in due:
            del self._idle[channel]
            # A turn that begins during the statement leases the channel again.
            self._fences.pop(channel, None)
        with suppress(StoreError):
            await self._member.rows.release_channels(self._member.name, self._member.topic, due)

    async def check(self, view: ClusterView) -> None:
        """Stop turns in channels that were assigned to another member, and release leases without turns."""
        ours = {one.channel for one in view.channels if one.owner == self._member.name}
        for one in view.channels:
            # A smaller fence is from before our own lease, so the view is outdated.
            if one.owner != self._member.name and one.fence >= self._fences.get(one.channel, math.inf):
                _log.warning("channel %s was assigned to another member: stopping its answer", one.channel)
                self._fences.pop(one.channel)
                for stop in self._lanes[one.channel].speaking if one.channel in self._lanes else ():
                    stop.abort()
        left = ours - self._fences.keys() - self._users.keys()
        if left:
            await self._member.rows.release_channels(self._member.name, self._member.topic, left)
        await self.release_idle(IDLE_RELEASE_S)

    # --- Other processes ------------------------------------------------------------------------

    async def ask_elsewhere(
        self, channel: int, asker: StopRequester, mode: StopMode = StopMode.AFTER_THIS
    ) -> StopOutcome:
        """Ask the turn that another process runs in the channel to end."""
        number = f"{self._member.name}.{next(self._numbers)}"
        future: asyncio.Future[StopOutcome] = asyncio.get_running_loop().create_future()
        self._pending_stops[number] = future
        who = {
            "id": asker.id,
            "moderator": asker.moderator,
            "roles": sorted(asker.roles)[:100],
            "bot": asker.bot,
        }
        try:
            await self._member.notify("stop", channel=channel, asker=who, mode=mode.value, number=number)
            async with asyncio.timeout(STOP_REPLY_TIMEOUT_S):
                return await future
        except (TimeoutError, StoreError):
            return StopOutcome.NOTHING
        finally:
            del self._pending_stops[number]

    def _on_stop(self, message: Mapping[str, Any]) -> None:
        if message.get("channel") in self._users:
            self._run(self._stop_here(message))

    async def _stop_here(self, message: Mapping[str, Any]) -> None:
        who = message["asker"]
        asker = StopRequester(who["id"], who["moderator"], frozenset(who["roles"]), who["bot"])
        answer = await self.ask_here(message["channel"], asker, StopMode(message["mode"]))
        if answer is not StopOutcome.NOTHING:
            with suppress(StoreError):
                await self._member.notify("stopped", number=message["number"], answer=answer.value)

    def _on_stopped(self, message: Mapping[str, Any]) -> None:
        future = self._pending_stops.get(str(message.get("number")))
        if future is not None and not future.done():
            future.set_result(StopOutcome(message["answer"]))

    def _on_free(self, message: Mapping[str, Any]) -> None:
        if event := self._freed.get(int(message["free"])):
            event.set()

    def _run(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _nothing_to_write() -> bool:
    return True
