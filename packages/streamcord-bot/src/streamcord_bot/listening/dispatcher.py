"""Where messages come in: each is taken once, judged (is it for us?) and queued in its channel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from enum import StrEnum

from streamcord import StopMode, StopOutcome, StopRequester, Stops
from streamcord.utils import BoundedCache

from ..budget.concurrency import TurnSlots
from ..config.sections import AnswerConfig
from ..messages.chat_message import ChatMessage
from ..messages.question import Question
from ..messages.seen_messages import SeenMessages
from ..messages.word_search import has_trigger
from ..policy.channel_config import ChannelConfig
from .channel_queue import ChannelQueue, QueueLimits, QueueResult, Run, Show

__all__ = ["Dispatcher", "Reason", "find_reason"]

CHANNEL_CAP = 10_000
QUEUE_CAP = 100
"""So many queues are kept before idle ones are removed."""
DEBOUNCE_FACTOR = 5
"""A question is answered after so many times the gathering time, however quickly its author goes on."""

_log = logging.getLogger(__name__)


class Dispatcher:
    """Passes messages to the queues of their channels; `run` answers, `show` shows typing."""

    def __init__(self, run: Run, show: Show, stops: Stops, slots: TurnSlots | None = None) -> None:
        self._run = run
        self._show = show
        self._stops = stops
        self._slots = slots or TurnSlots()
        self._slots.on_freed = self._look_again
        self._claims = SeenMessages()
        self._queues: dict[int, ChannelQueue] = {}
        self._rounds: BoundedCache[int, int] = BoundedCache(CHANNEL_CAP)
        self._closed = False

    @property
    def is_quiet(self) -> bool:
        """Whether nobody is answered and nobody waits at this moment."""
        return all(queue.is_idle for queue in self._queues.values())

    async def quiet(self) -> None:
        """Wait until nobody is answered and nobody waits."""
        while busy := [queue for queue in self._queues.values() if not queue.is_idle]:
            await asyncio.gather(*(queue.finished() for queue in busy))

    def claim(self, message: ChatMessage) -> bool:
        """Take a message; false if it is our own or was taken before."""
        return not (message.own or self._closed) and self._claims.claim(message.id)

    def hear(self, message: ChatMessage, channel_config: ChannelConfig) -> QueueResult:
        """Pass a message of somebody else to its queue."""
        rounds = self._count_rounds(message)
        reason = find_reason(message, channel_config.listening, rounds)
        queue = (
            self._queues.get(message.channel)
            if reason is None
            else self._open(message.channel, channel_config)
        )
        if queue is None:
            return QueueResult.IGNORED
        crowded = reason is not None and not queue.has_question_of(message.author)
        if crowded and self.is_crowded(message.author):
            return QueueResult.CROWDED
        heard = queue.hear(message, called=reason is not None)
        if message.bot and heard in {QueueResult.TAKEN, QueueResult.INTERRUPTED}:
            self._rounds.keep(message.channel, rounds + 1)
        return heard

    def put(self, question: Question, channel_config: ChannelConfig) -> QueueResult:
        """Queue a question that was asked with a button, if there is room for it."""
        if self._closed:
            return QueueResult.IGNORED
        if self.is_crowded(question.payer):
            return QueueResult.CROWDED
        return self._open(question.channel, channel_config).ask(question)

    def put_back(self, question: Question, channel_config: ChannelConfig) -> bool:
        """Queue what had its place before a break, however many wait; false if nobody is answered now."""
        if not self._closed:
            self._open(question.channel, channel_config).put(question)
        return not self._closed

    def edit(self, channel: int, id_: int, text: str) -> bool:
        """A message was edited; whether a question changed."""
        queue = self._queues.get(channel)
        return queue is not None and queue.edit(id_, text)

    def delete(self, channel: int, id_: int) -> bool:
        """A message was deleted; whether a question changed."""
        queue = self._queues.get(channel)
        return queue is not None and queue.delete(id_)

    def left_for(self, person: int, server: int) -> tuple[tuple[int, int, int, int], float]:
        """How many more answers there might be at once (see `TurnSlots.left`), and the pause between two."""
        left = self._slots.left(person, server, asyncio.get_running_loop().time())
        return left, self._slots.limits.cooldown

    def release(self, ids: Iterable[int]) -> None:
        """Messages that another process has taken: they may be heard again, if nothing comes of that."""
        for id_ in ids:
            self._claims.release(id_)

    def running_in(self, channel: int) -> Question | None:
        """The question that is being answered in a channel."""
        queue = self._queues.get(channel)
        return queue.running if queue is not None else None

    async def stop_in(self, channel: int, asker: StopRequester) -> StopOutcome:
        """Stop the running answer of a channel, or drop this person's waiting question."""
        answer = await self._stops.ask(channel, asker)
        queue = self._queues.get(channel)
        if answer is not StopOutcome.ACCEPTED and queue is not None and queue.forget(asker.id):
            return StopOutcome.ACCEPTED
        return answer

    async def close(self, seconds: float, mode: StopMode = StopMode.FLUSH) -> None:
        """Let running answers deliver what they have, for so many seconds; nobody else is answered."""
        self._closed = True
        queues = [queue for queue in self._queues.values() if not queue.is_idle]
        finishing = [asyncio.ensure_future(queue.finish_running()) for queue in queues]
        if running := self._stops.stop_all(mode):
            _log.info("shutting down: answers that are finished first: %d", running)
        if finishing:
            await asyncio.wait(finishing, timeout=seconds)
        await asyncio.gather(*(queue.close() for queue in queues))
        await asyncio.gather(*finishing)

    def _count_rounds(self, message: ChatMessage) -> int:
        """How often we answered bots in a row in this channel; a message of a person resets it."""
        if not message.bot:
            self._rounds.drop(message.channel)
        return self._rounds.find(message.channel) or 0

    def is_crowded(self, person: int) -> bool:
        """Whether this person has as many questions that wait, in all channels, as one may have."""
        most = self._slots.limits.waiting
        return 0 < most <= sum(queue.waits(person) for queue in self._queues.values())

    def _look_again(self) -> None:
        """An answer has ended: who waits for a place looks again, the one who waits longest first."""
        waiting = [queue for queue in self._queues.values() if queue.waiting]
        for queue in sorted(waiting, key=lambda queue: queue.waiting[0].since or 0.0):
            queue.look_again()

    def _open(self, channel: int, channel_config: ChannelConfig) -> ChannelQueue:
        if len(self._queues) > QUEUE_CAP:
            self._queues = {id_: queue for id_, queue in self._queues.items() if not queue.is_idle}
        debounce = channel_config.answer.debounce
        limits = QueueLimits(debounce, debounce * DEBOUNCE_FACTOR)
        queue = self._queues.get(channel)
        if queue is None:
            queue = self._queues[channel] = ChannelQueue(
                channel, self._run, self._show, self._stops, slots=self._slots
            )
        queue.limits, queue.guild = limits, channel_config.place.guild
        return queue


class Reason(StrEnum):
    """Why a message is answered."""

    DM = "dm"
    MENTION = "mention"
    REPLY = "reply"
    CHANNEL = "channel"
    THREAD = "thread"
    TRIGGER = "trigger"


_REASONS: tuple[tuple[Reason, Callable[[ChatMessage, AnswerConfig], bool]], ...] = (
    (Reason.DM, lambda message, config: message.dm and config.direct_messages),
    (Reason.MENTION, lambda message, config: message.mentions_us and config.mentions),
    (Reason.REPLY, lambda message, config: message.replies_to_us and config.replies),
    (Reason.CHANNEL, lambda message, config: bool({message.channel, message.parent} & {*config.channels})),
    (Reason.THREAD, lambda message, config: message.in_own_thread and config.threads),
    (Reason.TRIGGER, lambda message, config: has_trigger(message.text, config.words)),
)
_FOR_BOTS = frozenset({Reason.MENTION, Reason.REPLY})


def find_reason(message: ChatMessage, config: AnswerConfig, max_bot_replies: int = 0) -> Reason | None:
    """Why a message is answered, or `None`; `max_bot_replies` counts our last answers to bots in a row."""
    if message.own or message.is_note or message.is_empty:
        return None
    if message.dm and not config.direct_messages:
        return None
    reasons = [reason for reason, applies in _REASONS if applies(message, config)]
    if message.bot:
        # A bot must mention us or reply to us; else two bots in one channel would talk without an end.
        reasons = [reason for reason in reasons if reason in _FOR_BOTS]
        if max_bot_replies >= config.max_bot_replies:
            return None
    return reasons[0] if reasons else None
