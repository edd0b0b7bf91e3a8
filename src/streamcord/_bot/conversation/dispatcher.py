"""Where all messages come in: each is taken once, machines are not answered for ever, channels have lanes."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from streamcord import Asker, StopAnswer, StopMode, Stops

from .channel_queue import Ask, Heard, Lane, Patience, Run, Show
from .claims import Claims
from .remark import Remark
from .scene import Scene
from .should_answer import find_reason

__all__ = ["Desk"]

CHANNEL_CAP = 10_000
LANE_CAP = 100
"""So many lanes are kept before those in which nobody is are looked for."""
GATHER_FACTOR = 5
"""A question is answered after so many times the gathering time, however quickly its author goes on."""

_log = logging.getLogger("streamcord._bot")


class Desk:
    """The lanes of one bot; `run` answers in them, `show` lets people see that it will."""

    def __init__(self, run: Run, show: Show, stops: Stops) -> None:
        self._run = run
        self._show = show
        self._stops = stops
        self._claims = Claims()
        self._lanes: dict[int, Lane] = {}
        self._rounds: OrderedDict[int, int] = OrderedDict()
        self._closed = False

    @property
    def is_quiet(self) -> bool:
        """Nobody is answered and nobody waits, at this moment."""
        return all(lane.is_idle for lane in self._lanes.values())

    async def quiet(self) -> None:
        """Wait until nobody is answered and nobody waits."""
        while busy := [lane for lane in self._lanes.values() if not lane.is_idle]:
            await asyncio.gather(*(lane.finished() for lane in busy))

    def claim(self, remark: Remark) -> bool:
        """Whether this message is new to us and not our own."""
        return not (remark.own or self._closed) and self._claims.claim(remark.id)

    def hear(self, remark: Remark, scene: Scene) -> Heard:
        """A message of somebody else, and what becomes of it."""
        rounds = self._count_rounds(remark)
        reason = find_reason(remark, scene.listening, rounds)
        lane = self._lanes.get(remark.channel) if reason is None else self._open(remark.channel, scene)
        if lane is None:
            return Heard.IGNORED
        heard = lane.hear(remark, called=reason is not None)
        if remark.bot and heard in {Heard.TAKEN, Heard.INTERRUPTED}:
            self._rounds[remark.channel] = rounds + 1
        return heard

    def put(self, ask: Ask, scene: Scene) -> None:
        """Something that was asked for by a button."""
        if not self._closed:
            self._open(ask.channel, scene).put(ask)

    def edit(self, channel: int, id_: int, text: str) -> bool:
        """A message was changed; whether that matters to anybody."""
        lane = self._lanes.get(channel)
        return lane is not None and lane.edit(id_, text)

    def delete(self, channel: int, id_: int) -> bool:
        """A message is gone; whether that matters to anybody."""
        lane = self._lanes.get(channel)
        return lane is not None and lane.delete(id_)

    async def stop_in(self, channel: int, asker: Asker) -> StopAnswer:
        """End what is said in a channel, or what this person waits for."""
        answer = await self._stops.ask(channel, asker)
        lane = self._lanes.get(channel)
        if answer is not StopAnswer.ACCEPTED and lane is not None and lane.forget(asker.id):
            return StopAnswer.ACCEPTED
        return answer

    async def close(self, seconds: float) -> None:
        """Let running answers say what they have, for so long; nobody else is answered."""
        self._closed = True
        lanes = [lane for lane in self._lanes.values() if not lane.is_idle]
        resting = [asyncio.ensure_future(lane.rest()) for lane in lanes]
        if running := self._stops.stop_all(StopMode.FLUSH):
            _log.info("shutting down: %d answers are finished first", running)
        if resting:
            await asyncio.wait(resting, timeout=seconds)
        await asyncio.gather(*(lane.close() for lane in lanes))
        await asyncio.gather(*resting)

    def _count_rounds(self, remark: Remark) -> int:
        """How often we just answered machines here; a person's word ends it."""
        if not remark.bot:
            self._rounds.pop(remark.channel, None)
        if len(self._rounds) > CHANNEL_CAP:
            self._rounds.popitem(last=False)
        return self._rounds.get(remark.channel, 0)

    def _open(self, channel: int, scene: Scene) -> Lane:
        if len(self._lanes) > LANE_CAP:
            self._lanes = {id_: lane for id_, lane in self._lanes.items() if not lane.is_idle}
        gather = scene.answer.gather
        patience = Patience(gather, gather * GATHER_FACTOR)
        lane = self._lanes.get(channel)
        if lane is None:
            lane = self._lanes[channel] = Lane(channel, self._run, self._show, self._stops)
        lane.patience = patience
        return lane
