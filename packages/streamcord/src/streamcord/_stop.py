"""How a running turn is asked to end, by whom, and which turn is meant.

A `Stop` belongs to one turn and to no other: asking it after the turn is over has no effect on the next one.
`Stops` knows the turns that run now, lets one at a time speak in a channel, and checks who may stop whom.
It lives in this process; a registry that several processes share fills the same protocol, `StopRegistry`.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

__all__ = ["Stop", "StopMode", "StopOutcome", "StopRegistry", "StopRequester", "Stops"]


class StopMode(StrEnum):
    """How much may still be said after a stop."""

    NOW = "now"
    """A follow-up arrived: only the message already in flight."""
    AFTER_THIS = "after_this"
    """`/stop`: at most one more message, cut at its last complete clause, without delay."""
    FLUSH = "flush"
    """Shutdown: everything that was received, without delays."""
    HAND_OVER = "hand_over"
    """Shutdown with a journal: what is planned, without delays; another process says the rest."""


class StopOutcome(StrEnum):
    """What became of a wish to stop."""

    ACCEPTED = "accepted"
    """The turn ends, or was ending already."""
    REFUSED = "refused"
    """This person may not stop that turn."""
    NOTHING = "nothing"
    """No such turn is running."""


class Stop:
    """The stop of one turn; `token` is its address and never used again."""

    _tokens = itertools.count(1)

    def __init__(self, owner: int | None = None) -> None:
        self.token = next(self._tokens)
        self.owner = owner
        self.mode: StopMode | None = None
        self.aborted = False
        self.closed = False
        self._listener: Callable[[], object] | None = None

    def ask(self, mode: StopMode = StopMode.AFTER_THIS) -> bool:
        """Ask the turn to end; false if it is over. A follow-up never replaces a stop."""
        if self.closed:
            return False
        if self.mode is None or (self.mode is StopMode.NOW and mode is not StopMode.NOW):
            self.mode = mode
            self._notify()
        return True

    def abort(self) -> bool:
        """End the turn from outside, as `NOW`, but as cancelled; false if it is over."""
        if self.closed:
            return False
        self.aborted = True
        self.mode = self.mode or StopMode.NOW
        self._notify()
        return True

    def listen(self, listener: Callable[[], object] | None) -> None:
        """Call `listener` at every change, and at once if there was one; `None` ends that."""
        self._listener = listener
        if self.mode is not None and listener is not None:
            listener()

    def close(self) -> None:
        """The turn is over; nothing can be asked of it any more."""
        self.closed = True
        self._listener = None

    def _notify(self) -> None:
        if self._listener is not None:
            self._listener()


@dataclass(frozen=True, slots=True)
class StopRequester:
    """Who wants a turn to stop."""

    id: int
    moderator: bool = False
    """Whether they may manage messages in this channel."""
    roles: frozenset[int] = frozenset()
    bot: bool = False


class StopRegistry(Protocol):
    """Which turns run, and how one asks them to end."""

    def turn(self, channel: int, owner: int | None = None) -> AbstractAsyncContextManager[Stop]:
        """Wait until this turn may speak in the channel; it may until the block ends."""
        ...

    async def ask(
        self,
        channel: int,
        requester: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
        *,
        token: int | None = None,
    ) -> StopOutcome:
        """Ask the turn that speaks in the channel, or the one with this token, to end."""
        ...


@dataclass(slots=True, eq=False)
class _ChannelTurns:
    """One channel: how many may speak at once, who is there, and who speaks."""

    free: asyncio.Semaphore
    present: dict[int, Stop] = field(default_factory=dict)
    speaking: list[Stop] = field(default_factory=list)


class Stops:
    """The turns of this process, one at a time in each channel unless told otherwise."""

    def __init__(self, *, per_channel: int = 1, roles: Collection[int] = ()) -> None:
        self._per_channel = per_channel
        self._roles = frozenset(roles)
        self._lanes: dict[int, _ChannelTurns] = {}

    def __len__(self) -> int:
        """How many turns speak or wait."""
        return sum(len(lane.present) for lane in self._lanes.values())

    @asynccontextmanager
    async def turn(self, channel: int, owner: int | None = None) -> AsyncIterator[Stop]:
        """Wait in line for the channel; the turn given may be stopped until the block ends."""
        stop = Stop(owner)
        lane = self._lanes.setdefault(channel, _ChannelTurns(asyncio.Semaphore(self._per_channel)))
        lane.present[stop.token] = stop
        try:
            async with lane.free:
                lane.speaking.append(stop)
                try:
                    yield stop
                finally:
                    lane.speaking.remove(stop)
        finally:
            stop.close()
            del lane.present[stop.token]
            if not lane.present:
                del self._lanes[channel]

    async def ask(
        self,
        channel: int,
        requester: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
        *,
        token: int | None = None,
    ) -> StopOutcome:
        """Ask the turns that speak in the channel, or the one with this token, to end."""
        lane = self._lanes.get(channel)
        if lane is None:
            return StopOutcome.NOTHING
        meant = (
            list(lane.speaking) if token is None else [lane.present[token]] if token in lane.present else []
        )
        if not meant:
            return StopOutcome.NOTHING
        allowed = [stop for stop in meant if self._may_stop(requester, stop)]
        if not allowed:
            return StopOutcome.REFUSED
        accepted = [stop.ask(mode) for stop in allowed]
        return StopOutcome.ACCEPTED if any(accepted) else StopOutcome.NOTHING

    def stop_all(self, mode: StopMode = StopMode.FLUSH) -> int:
        """Ask every turn to end, as at a shutdown; how many were asked."""
        stops = [stop for lane in self._lanes.values() for stop in lane.present.values()]
        return sum(stop.ask(mode) for stop in stops)

    def _may_stop(self, requester: StopRequester, stop: Stop) -> bool:
        if requester.bot:
            return False
        owns = stop.owner is not None and requester.id == stop.owner
        return owns or requester.moderator or bool(self._roles & requester.roles)
