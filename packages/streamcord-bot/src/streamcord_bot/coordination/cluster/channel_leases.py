"""One turn at a time in a channel, whichever process speaks there; and stops that reach it wherever it is."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from streamcord import Stop, StopMode, StopOutcome, StopRequester, Stops, StoreError

from .membership import Membership
from .shard_plan import ClusterView

__all__ = ["ClusterStops"]

LINGER = 1.0
"""Seconds for which a channel is kept after a turn: the next one there costs nothing then."""
POLL = 1.0
"""Seconds after which is looked again whether a channel is free, if nobody says so."""
ANSWER_TIME = 1.0
"""Seconds that another process has to say what became of a stop."""

_log = logging.getLogger("streamcord")


class ClusterStops(Stops):
    """The turns of this process, each in a channel that is leased to it."""

    def __init__(self, member: Membership, *, per_channel: int = 1, roles: Collection[int] = ()) -> None:
        super().__init__(per_channel=per_channel, roles=roles)
        self.flush_journal: Callable[[], Awaitable[bool]] = _at_once
        """Waits until the journal of a turn that is over is written."""
        self.shard_of: Callable[[int], int] = lambda _: 0
        self._member = member
        self._fences: dict[int, int] = {}
        self._users: dict[int, int] = {}
        self._idle: dict[int, float] = {}
        self._wanted: dict[int, asyncio.Event] = {}
        self._asked: dict[str, asyncio.Future[StopOutcome]] = {}
        self._numbers = itertools.count()
        self._tasks: set[asyncio.Task[None]] = set()
        member.heard |= {"free": self._hear_free, "stop": self._hear_stop, "stopped": self._hear_answer}
        member.checks.append(self.check)

    @asynccontextmanager
    async def turn(self, channel: int, owner: int | None = None) -> AsyncIterator[Stop]:
        """Wait in line for the channel, here and among all processes."""
        async with super().turn(channel, owner) as stop:
            await self._hold(channel, owner or 0)
            try:
                yield stop
            finally:
                self._let_go(channel)

    def elsewhere(self, channel: int) -> str:
        """The other process that speaks in a channel of ours, as the last beat showed; empty if none."""
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
        """Ask the turns that speak in the channel to end, here or in another process."""
        answer = await self.ask_here(channel, asker, mode, token=token)
        if answer is StopOutcome.NOTHING and channel not in self._users and not self._member.is_alone:
            return await self.ask_elsewhere(channel, asker, mode)
        return answer

    ask_here = Stops.ask
    """Ask the turns of this process alone."""

    def is_busy(self, channel: int) -> bool:
        """Whether somebody of this process speaks or waits in a channel."""
        return channel in self._users

    # --- Channels -------------------------------------------------------------------------------

    async def _hold(self, channel: int, person: int) -> None:
        self._users[channel] = self._users.get(channel, 0) + 1
        self._idle.pop(channel, None)
        try:
            while channel not in self._fences:
                await self._try(channel, person)
        except BaseException:
            self._let_go(channel)
            raise

    async def _try(self, channel: int, person: int) -> None:
        """Take the channel, or wait until it may be free."""
        member = self._member
        free = self._wanted.setdefault(channel, asyncio.Event())
        free.clear()
        try:
            shard = self.shard_of(channel)
            owner, fence = await member.rows.hold(member.name, member.bot, channel, shard, person)
        except StoreError as error:
            _log.debug("channel %s waits: %s", channel, error)
        else:
            if owner == member.name:
                self._fences[channel] = fence
                self._wanted.pop(channel, None)
                return
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL):
                await free.wait()

    def _let_go(self, channel: int) -> None:
        self._users[channel] -= 1
        if not self._users[channel]:
            del self._users[channel]
            if channel in self._fences:
                self._idle[channel] = asyncio.get_running_loop().time()
                self._run(self._release_later())

    async def _release_later(self) -> None:
        await asyncio.sleep(LINGER)
        await self.release_idle(LINGER / 2)

    async def release_idle(self, seconds: float = 0.0) -> None:
        """Give up channels in which nobody has spoken for so long, once all is written."""
        now = asyncio.get_running_loop().time()
        due = [channel for channel, since in self._idle.items() if now - since >= seconds]
        if not due or not await self.flush_journal():
            return
        due = [channel for channel in due if channel in self._idle]
        for channel in due:
            del self._idle[channel]
            # Whoever wants it meanwhile asks for it anew.
            self._fences.pop(channel, None)
        with suppress(StoreError):
            await self._member.rows.let_go(self._member.name, self._member.topic, due)

    async def check(self, view: ClusterView) -> None:
        """Stop turns in channels that somebody gave to another process, and free what was left held."""
        ours = {one.channel for one in view.channels if one.owner == self._member.name}
        for one in view.channels:
            # What was seen before we took the channel is of no account.
            if one.owner != self._member.name and one.fence >= self._fences.get(one.channel, math.inf):
                _log.warning("channel %s was given to somebody else: its answer stops", one.channel)
                self._fences.pop(one.channel)
                for stop in self._lanes[one.channel].speaking if one.channel in self._lanes else ():
                    stop.abort()
        left = ours - self._fences.keys() - self._users.keys()
        if left:
            await self._member.rows.let_go(self._member.name, self._member.topic, left)
        await self.release_idle(LINGER)

    # --- Other processes ------------------------------------------------------------------------

    async def ask_elsewhere(
        self, channel: int, asker: StopRequester, mode: StopMode = StopMode.AFTER_THIS
    ) -> StopOutcome:
        """Ask the turn that another process speaks in the channel to end."""
        number = f"{self._member.name}.{next(self._numbers)}"
        future: asyncio.Future[StopOutcome] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        who = {
            "id": asker.id,
            "moderator": asker.moderator,
            "roles": sorted(asker.roles)[:100],
            "bot": asker.bot,
        }
        try:
            await self._member.tell("stop", channel=channel, asker=who, mode=mode.value, number=number)
            async with asyncio.timeout(ANSWER_TIME):
                return await future
        except (TimeoutError, StoreError):
            return StopOutcome.NOTHING
        finally:
            del self._asked[number]

    def _hear_stop(self, message: Mapping[str, Any]) -> None:
        if message.get("channel") in self._users:
            self._run(self._stop_here(message))

    async def _stop_here(self, message: Mapping[str, Any]) -> None:
        who = message["asker"]
        asker = StopRequester(who["id"], who["moderator"], frozenset(who["roles"]), who["bot"])
        answer = await self.ask_here(message["channel"], asker, StopMode(message["mode"]))
        if answer is not StopOutcome.NOTHING:
            with suppress(StoreError):
                await self._member.tell("stopped", number=message["number"], answer=answer.value)

    def _hear_answer(self, message: Mapping[str, Any]) -> None:
        future = self._asked.get(str(message.get("number")))
        if future is not None and not future.done():
            future.set_result(StopOutcome(message["answer"]))

    def _hear_free(self, message: Mapping[str, Any]) -> None:
        if event := self._wanted.get(int(message["free"])):
            event.set()

    def _run(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _at_once() -> bool:
    return True
