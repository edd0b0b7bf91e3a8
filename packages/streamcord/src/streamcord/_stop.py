"""Stop running turns: which turn, how, and who may.

A `Stop` belongs to one turn: a request after its end has no effect on the next turn. `RunningTurns` is the registry of
the running turns of this process. It lets one turn at a time post in a channel and checks who may stop it. A
registry that several processes share implements the same protocol, `TurnRegistry`.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

__all__ = ["RunningTurns", "Stop", "StopMode", "StopOutcome", "StopRequester", "TurnRegistry"]


class StopMode(StrEnum):
    """What may still be sent after a stop.

    Example:
        turn.stop.ask(StopMode.NOW)

    """

    INTERRUPT = "interrupt"
    """A new message changed the question: only the message already in flight. The ending is `FOLLOW_UP_INTERRUPT`."""
    NOW = "now"
    """Only the message already in flight."""
    AFTER_THIS = "after_this"
    """`/stop`: at most one more message, cut at its last complete clause, without delay."""
    FLUSH = "flush"
    """Shutdown: everything that was received, without delays."""
    HAND_OVER = "hand_over"
    """Shutdown with a journal: what is planned, without delays; another process sends the rest."""


# A request replaces one of a lower rank; all others have rank 2.
_RANKS = {StopMode.INTERRUPT: 0, StopMode.NOW: 1}


class StopOutcome(StrEnum):
    """The result of a request to stop.

    Example:
        if await stops.ask(channel.id, requester) is StopOutcome.REFUSED:
            await interaction.response.send_message("Only the person who asked can stop this answer.")

    """

    ACCEPTED = "accepted"
    """The turn ends, or was ending already."""
    REFUSED = "refused"
    """The requester may not stop that turn."""
    NOTHING = "nothing"
    """No such turn is running."""


class Stop:
    """Stops one turn.

    Args:
        owner: The id of the user whose message is answered; this user may stop the turn.

    Example:
        stop = Stop()
        turn = asyncio.create_task(say(channel, source, stop=stop))
        stop.ask()

    """

    _tokens = itertools.count(1)

    def __init__(self, owner: int | None = None) -> None:
        # Identifies the turn, for example in the id of a stop button; never reused in this process.
        self.token = next(self._tokens)
        self.owner = owner
        # The requested mode; None while nothing was requested.
        self.mode: StopMode | None = None
        # Whether the turn ends as cancelled.
        self.aborted = False
        # Whether the turn is over.
        self.closed = False
        self._listener: Callable[[], object] | None = None

    def ask(self, mode: StopMode = StopMode.AFTER_THIS) -> bool:
        """Request the turn to end.

        Args:
            mode: What may still be sent. `INTERRUPT` replaces no earlier request, and `NOW` only `INTERRUPT`.

        Returns:
            False if the turn is over.

        """
        if self.closed:
            return False
        if self.mode is None or _RANKS.get(mode, 2) > _RANKS.get(self.mode, 2):
            self.mode = mode
            self._notify()
        return True

    def abort(self) -> bool:
        """End the turn like `StopMode.NOW`, but with the ending `CANCELLED`; return false if it is over."""
        if self.closed:
            return False
        self.aborted = True
        self.mode = self.mode or StopMode.NOW
        self._notify()
        return True

    def listen(self, listener: Callable[[], object] | None) -> None:
        """Call `listener` at every request, and now if there was one already; `None` removes it."""
        self._listener = listener
        if self.mode is not None and listener is not None:
            listener()

    def close(self) -> None:
        """Mark the turn as over; later requests return false."""
        self.closed = True
        self._listener = None

    def _notify(self) -> None:
        if self._listener is not None:
            self._listener()


@dataclass(frozen=True, slots=True)
class StopRequester:
    """The user who requests a stop.

    Args:
        id: The id of the user.
        moderator: Whether the user may manage messages in this channel.
        roles: The ids of the user's roles.
        bot: Whether the user is a bot; bots may stop nothing.

    Example:
        StopRequester(user.id, moderator=channel.permissions_for(user).manage_messages)

    """

    id: int
    moderator: bool = False
    roles: frozenset[int] = frozenset()
    bot: bool = False


class TurnRegistry(Protocol):
    """Protocol: a registry of running turns. `RunningTurns` is the one for a single process.

    Example:
        async def answer(stops: TurnRegistry, message, source):
            async with stops.turn(message.channel.id, owner=message.author.id) as stop:
                await say(message, source, stop=stop)

    """

    def turn(self, channel: int, owner: int | None = None) -> AbstractAsyncContextManager[Stop]:
        """Wait until this turn may post in the channel; it may until the block ends.

        Args:
            channel: The id of the channel.
            owner: The id of the user whose message is answered.

        """

    async def ask(
        self,
        channel: int,
        requester: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
        *,
        token: int | None = None,
    ) -> StopOutcome:
        """Request turns to end.

        Args:
            channel: The id of the channel.
            requester: The user who asks.
            mode: What may still be sent.
            token: The turn; by default all running turns of the channel.

        Returns:
            Whether a turn ends, or why none does.

        """


@dataclass(slots=True, eq=False)
class _ChannelTurns:
    """The turns of one channel."""

    # Limits how many turns run at once.
    free: asyncio.Semaphore
    # Running and waiting turns by token.
    present: dict[int, Stop] = field(default_factory=dict)
    # Running turns.
    speaking: list[Stop] = field(default_factory=list)


class RunningTurns:
    """The running turns of this process.

    Args:
        per_channel: How many turns may run at once in one channel.
        roles: Ids of roles whose members may stop any turn.

    Example:
        stops = RunningTurns()
        async with stops.turn(channel.id, owner=message.author.id) as stop:
            await say(channel, source, stop=stop)

    """

    def __init__(self, *, per_channel: int = 1, roles: Collection[int] = ()) -> None:
        self._per_channel = per_channel
        self._roles = frozenset(roles)
        # Turns by channel; a channel without turns has no entry.
        self._lanes: dict[int, _ChannelTurns] = {}

    def __len__(self) -> int:
        """Return the number of running and waiting turns."""
        return sum(len(lane.present) for lane in self._lanes.values())

    @asynccontextmanager
    async def turn(self, channel: int, owner: int | None = None) -> AsyncIterator[Stop]:
        """Wait until the channel is free and yield the stop of the new turn, valid until the block ends.

        Args:
            channel: The id of the channel.
            owner: The id of the user whose message is answered; this user may stop the turn.

        """
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
        """Request turns to end.

        Args:
            channel: The id of the channel.
            requester: The user who asks.
            mode: What may still be sent.
            token: The turn; by default all running turns of the channel.

        Returns:
            Whether a turn ends, or why none does.

        """
        lane = self._lanes.get(channel)
        if lane is None:
            return StopOutcome.NOTHING
        wanted = (
            list(lane.speaking) if token is None else [lane.present[token]] if token in lane.present else []
        )
        if not wanted:
            return StopOutcome.NOTHING
        allowed = [stop for stop in wanted if self._may_stop(requester, stop)]
        if not allowed:
            return StopOutcome.REFUSED
        accepted = [stop.ask(mode) for stop in allowed]
        return StopOutcome.ACCEPTED if any(accepted) else StopOutcome.NOTHING

    def stop_all(self, mode: StopMode = StopMode.FLUSH) -> int:
        """Request every turn to end, for example at shutdown, and return how many accepted."""
        stops = [stop for lane in self._lanes.values() for stop in lane.present.values()]
        return sum(stop.ask(mode) for stop in stops)

    def _may_stop(self, requester: StopRequester, stop: Stop) -> bool:
        # Two bots that stop each other would never finish an answer.
        if requester.bot:
            return False
        owns = stop.owner is not None and requester.id == stop.owner
        return owns or requester.moderator or bool(self._roles & requester.roles)
