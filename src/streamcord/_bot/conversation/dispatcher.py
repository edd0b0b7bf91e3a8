"""Where all messages come in: each is taken once, judged (is it for us?) and queued in its channel."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from enum import StrEnum

from streamcord import Asker, StopAnswer, StopMode, Stops

from ..config.sections import AnswerConfig
from .channel_config import Scene
from .channel_queue import Ask, Heard, Lane, Patience, Run, Show
from .incoming_message import Remark

__all__ = ["Claims", "Desk", "Reason", "find_reason"]

CHANNEL_CAP = 10_000
LANE_CAP = 100
"""So many lanes are kept before those in which nobody is are looked for."""
GATHER_FACTOR = 5
"""A question is answered after so many times the gathering time, however quickly its author goes on."""

_log = logging.getLogger("streamcord.bot")


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


class Claims:
    """Ids that were taken, the last `cap` of them."""

    def __init__(self, cap: int = 10_000) -> None:
        self._cap = cap
        self._taken: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._taken)

    def claim(self, id_: int) -> bool:
        """Take an id; false if it was taken before."""
        if id_ in self._taken:
            return False
        self._taken[id_] = None
        if len(self._taken) > self._cap:
            self._taken.popitem(last=False)
        return True


class Reason(StrEnum):
    """Why a message is answered."""

    DM = "dm"
    MENTION = "mention"
    REPLY = "reply"
    CHANNEL = "channel"
    TRIGGER = "trigger"


_REASONS: tuple[tuple[Reason, Callable[[Remark, AnswerConfig], bool]], ...] = (
    (Reason.DM, lambda remark, config: remark.dm and config.direct_messages),
    (Reason.MENTION, lambda remark, config: remark.mentions_us and config.mentions),
    (Reason.REPLY, lambda remark, config: remark.replies_to_us and config.replies),
    (Reason.CHANNEL, lambda remark, config: remark.channel in config.channels),
    (Reason.TRIGGER, lambda remark, config: has_trigger(remark.text, config.words)),
)
_FOR_BOTS = frozenset({Reason.MENTION, Reason.REPLY})


def find_reason(remark: Remark, config: AnswerConfig, bot_rounds: int = 0) -> Reason | None:
    """Why this message is answered, if it is; `bot_rounds` counts our last answers to machines in a row."""
    if remark.own or remark.is_empty:
        return None
    reasons = [reason for reason, applies in _REASONS if applies(remark, config)]
    if remark.bot:
        # A machine must mean us; else two of them in one channel would talk until the money is gone.
        reasons = [reason for reason in reasons if reason in _FOR_BOTS]
        if bot_rounds >= config.bot_rounds:
            return None
    return reasons[0] if reasons else None


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Whether one of the words stands in the text, as a word and in any case."""
    folded = text.casefold()
    return any(_has_word(folded, trigger.casefold()) for trigger in triggers)


def _has_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_joins(text, at - 1, word[0]) or _joins(text, end, word[-1])):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(text: str, at: int, edge: str) -> bool:
    """Whether the neighbour makes it part of a longer word; scripts without spaces have no such thing."""
    return 0 <= at < len(text) and _is_wordy(text[at]) and _is_wordy(edge)


def _is_wordy(letter: str) -> bool:
    return letter.isalnum() and ord(letter) < 0x2E80
