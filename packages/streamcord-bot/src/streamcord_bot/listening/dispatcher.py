"""Decide which messages are questions, and pass each of them once to the queue of its channel."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from streamcord import Persona, RunningTurns, StopMode, StopOutcome, StopRequester
from streamcord.utils import BoundedCache

from ..budget.concurrency import TurnSlots
from ..config import AnswerConfig
from ..messages.chat_message import ChatMessage
from ..messages.question import Question
from ..messages.seen_messages import SeenMessages
from ..messages.word_search import has_trigger
from ..policy.addressing import addressed_by_persona, find_named, find_writer
from ..policy.channel_config import ChannelConfig
from .channel_queue import ChannelQueue, QueueLimits, QueueResult, Run, Show
from .follow_ups import NullListener, QueueListener

MAX_CHANNELS = 10_000
MAX_BOT_ANSWERS_PER_MINUTE = 10
"""Answers to other bots in one channel."""
MAX_QUEUES = 100
"""Above this number, idle queues are removed."""
MAX_DEBOUNCE_FACTOR = 5
"""A question is answered after this many debounce times, even if its author keeps writing."""

_log = logging.getLogger(__name__)


class Dispatcher:
    """Passes messages to the queues of their channels; `run` answers, `show` shows typing."""

    def __init__(self, run: Run, show: Show, stops: RunningTurns, slots: TurnSlots | None = None) -> None:
        self._run = run
        self._show = show
        self._stops = stops
        self._slots = slots or TurnSlots()
        # Queues wait for slots of the whole process, so each must look again when one is freed.
        self._slots.on_freed = self._wake_waiting
        # Told which follow-ups wait; set before the first message.
        self.listener: QueueListener = NullListener()
        # Messages that were received, so that a repeated event is ignored.
        self._claims = SeenMessages()
        self._queues: dict[int, ChannelQueue] = {}
        # How often we answered bots in a row, by channel.
        self._bot_replies: BoundedCache[int, int] = BoundedCache(MAX_CHANNELS)
        # Times of the last answers to bots, by channel: people who write in between do not reset them.
        self._bot_answers: BoundedCache[int, deque[float]] = BoundedCache(MAX_CHANNELS)
        # Conversations that a person may continue without a mention, by channel and person.
        self._conversations: BoundedCache[tuple[int, int], _Conversation] = BoundedCache(MAX_CHANNELS)
        self._closed = False

    @property
    def is_idle(self) -> bool:
        """Whether no answer runs and no question waits."""
        return all(queue.is_idle for queue in self._queues.values())

    @property
    def waiting(self) -> int:
        """How many questions wait, in all channels."""
        return sum(len(queue.waiting) for queue in self._queues.values())

    async def wait_idle(self) -> None:
        """Wait until no answer runs and no question waits."""
        while busy := [queue for queue in self._queues.values() if not queue.is_idle]:
            await asyncio.gather(*(queue.finished() for queue in busy))

    def claim(self, message: ChatMessage) -> bool:
        """Claim a message; false if it is our own or was claimed before."""
        return not (message.own or self._closed) and self._claims.claim(message.id)

    def receive(self, message: ChatMessage, channel_config: ChannelConfig) -> QueueResult:
        """Pass a message of another author to its queue."""
        bot_replies = self._count_rounds(message)
        if message.bot and self._is_busy_with_bots(message.channel):
            return QueueResult.IGNORED
        reason = find_reason(message, channel_config.listening, bot_replies, channel_config.listeners)
        personas = find_personas(message, channel_config)
        if reason is not None:
            # The person spoke to us, so the count of messages without a mention starts again.
            self._conversations.drop((message.channel, message.author))
        elif (persona := self._follow_up(message, channel_config.answer)) is not None:
            reason, personas = Reason.FOLLOW_UP, [persona]
        queue = (
            self._queues.get(message.channel)
            if reason is None
            else self._open(message.channel, channel_config)
        )
        if queue is None:
            return QueueResult.IGNORED
        if reason is None:
            return queue.receive(message, called=False)
        results = self._ask_each(message, personas, queue)
        result = QueueResult.FULL if QueueResult.FULL in results else results[0]
        if message.bot and result in {QueueResult.QUEUED, QueueResult.INTERRUPTED}:
            self._bot_replies.keep(message.channel, bot_replies + 1)
            answers = self._bot_answers.find_or_make(
                message.channel, lambda: deque(maxlen=MAX_BOT_ANSWERS_PER_MINUTE)
            )
            answers.append(asyncio.get_running_loop().time())
        return result

    def _ask_each(
        self, message: ChatMessage, personas: Sequence[str], queue: ChannelQueue
    ) -> list[QueueResult]:
        """Ask each persona that a message calls, in order, until its author has too many questions."""
        results: list[QueueResult] = []
        for persona in personas:
            # A message that joins a question of the same person adds none.
            if self.is_crowded(message.author) and not queue.would_join(message.author, persona):
                return results or [QueueResult.CROWDED]
            results.append(queue.receive(message, called=True, persona=persona, is_shared=bool(results)))
        return results

    def record_answer(self, question: Question, said: ChatMessage, channel_config: ChannelConfig) -> None:
        """Handle a complete answer: its person may continue without a mention, and it may be for another persona.

        Answers of personas to each other count like answers to bots, so that they cannot talk for ever. The person
        who asked first pays for all of them.

        Args:
            question: the question that was answered.
            said: the last message of the answer, with the text of all of them.
            channel_config: the configuration of the answer, with the persona that gave it.

        """
        now = asyncio.get_running_loop().time()
        # Messages without a mention are counted until the next one with a mention.
        known = self._conversations.peek((question.channel, question.owner))
        conversation = _Conversation(question.persona, now, known.used if known else 0)
        self._conversations.keep((question.channel, question.owner), conversation)
        # People who write in between do not extend an exchange of personas: it carries its own count.
        rounds = max(question.rounds, self._bot_replies.find(question.channel) or 0)
        # A persona that names itself calls no other persona.
        others = [one for one in channel_config.listeners if one.name != channel_config.persona.name]
        named = addressed_by_persona(said.text, others)
        if self._closed or not named or rounds >= channel_config.answer.max_bot_replies:
            return
        self._bot_replies.keep(question.channel, rounds + 1)
        persona = channel_config.address(named[0])
        self._open(question.channel, channel_config).put(
            Question(question.owner, [said], asked_by=question.asked_by, persona=persona, rounds=rounds + 1)
        )

    def put(self, question: Question, channel_config: ChannelConfig) -> QueueResult:
        """Queue a question that was asked with a button, unless the queue is full."""
        if self._closed:
            return QueueResult.IGNORED
        if self.is_crowded(question.payer):
            return QueueResult.CROWDED
        return self._open(question.channel, channel_config).ask(question)

    def requeue(self, question: Question, channel_config: ChannelConfig) -> bool:
        """Queue a question of an interrupted answer, even if the queue is full; false while shutting down."""
        if not self._closed:
            self._open(question.channel, channel_config).put(question)
        return not self._closed

    def edit(self, channel: int, id_: int, text: str) -> bool:
        """Handle an edit and return whether a question changed."""
        queue = self._queues.get(channel)
        return queue is not None and queue.edit(id_, text)

    def delete(self, channel: int, id_: int) -> bool:
        """Handle a deletion and return whether a question changed."""
        queue = self._queues.get(channel)
        return queue is not None and queue.delete(id_)

    def limits_left(self, person: int, server: int) -> tuple[tuple[int, int, int, int], float]:
        """Return how many more answers may run at once (see `TurnSlots.left`), and the pause between two."""
        left = self._slots.left(person, server, asyncio.get_running_loop().time())
        return left, self._slots.limits.cooldown

    def release(self, ids: Iterable[int]) -> None:
        """Release claims of messages that another process has claimed, so that we may receive them later."""
        for id_ in ids:
            self._claims.release(id_)

    def running_in(self, channel: int) -> Question | None:
        """Return the question that is being answered in a channel."""
        queue = self._queues.get(channel)
        return queue.running if queue is not None else None

    def has_question_of(self, channel: int, person: int) -> bool:
        """Return whether a person has a question in a channel that their next message may join."""
        queue = self._queues.get(channel)
        return queue is not None and queue.has_question_of(person)

    # --- Steering --------------------------------------------------------------------------------

    def find_steering(self, running: Question) -> list[Question]:
        """Return the waiting questions that a running answer may take over."""
        queue = self._queues.get(running.channel)
        return queue.find_steering(running) if queue is not None else []

    def is_answering(self, question: Question) -> bool:
        """Return whether this answer is running and no one has stopped it."""
        queue = self._queues.get(question.channel)
        return queue is not None and queue.is_answering(question)

    def hand_over(self, waiting: Question, running: Question) -> bool:
        """Let a running answer take over a waiting question; false if one of them does not exist any more."""
        queue = self._queues.get(running.channel)
        return queue is not None and queue.hand_over(waiting, running)

    def withdraw(self, waiting: Question, running: Question) -> bool:
        """Let a question wait again that an answer has taken over, but not handed to the model.

        Returns false if the answer was restarted with it. In a process that ends, its row keeps it for the next one.
        """
        queue = self._queues.get(running.channel)
        return self._closed or (queue is not None and queue.withdraw(waiting, running))

    def _follow_up(self, message: ChatMessage, config: AnswerConfig) -> str | None:
        """Return the persona that a message without a mention goes to; `None` if it is for none."""
        is_for_others = message.bot or message.calls_others or message.dm
        if not config.follow_up_time or is_for_others or message.is_empty or message.is_system_message:
            return None
        key = (message.channel, message.author)
        known = self._conversations.peek(key)
        running = self.running_in(message.channel)
        now = asyncio.get_running_loop().time()
        if running is not None and running.owner == message.author:
            known = _Conversation(running.persona, now, known.used if known else 0)
        if known is None or now - known.since > config.follow_up_time or known.used >= config.follow_up_count:
            return None
        self._conversations.keep(key, replace(known, used=known.used + 1))
        return known.persona

    async def stop_in(
        self, channel: int, asker: StopRequester, mode: StopMode = StopMode.AFTER_THIS
    ) -> StopOutcome:
        """Stop the running answer of a channel, or drop this person's waiting question."""
        queue = self._queues.get(channel)
        running = queue.running if queue is not None else None
        answer = await self._stops.ask(channel, asker, mode)
        if answer is StopOutcome.ACCEPTED and queue is not None and running is not None:
            queue.forget_siblings(running)
        # No answer was stopped, but a question that still waits can be withdrawn.
        if answer is not StopOutcome.ACCEPTED and queue is not None and queue.forget(asker.id):
            return StopOutcome.ACCEPTED
        return answer

    async def close(self, seconds: float, mode: StopMode = StopMode.FLUSH) -> None:
        """Let running answers finish for up to `seconds`; waiting questions are dropped (see `shutdown.py`)."""
        # From now on no message is claimed, so that the next process finds it unanswered.
        self._closed = True
        queues = [queue for queue in self._queues.values() if not queue.is_idle]
        finishing = [asyncio.ensure_future(queue.finish_running()) for queue in queues]
        if running := self._stops.stop_all(mode):
            _log.info("shutting down: waiting for %d running answers", running)
        if finishing:
            await asyncio.wait(finishing, timeout=seconds)
        await asyncio.gather(*(queue.close() for queue in queues))
        await asyncio.gather(*finishing)

    def _count_rounds(self, message: ChatMessage) -> int:
        """Return how often we answered bots in a row in this channel; a message of a person resets it."""
        if not message.bot:
            self._bot_replies.drop(message.channel)
        return self._bot_replies.find(message.channel) or 0

    def _is_busy_with_bots(self, channel: int) -> bool:
        """Return whether bots got the maximum number of answers in the last minute; no one pays for those."""
        answers = self._bot_answers.peek(channel)
        if answers is None or len(answers) < MAX_BOT_ANSWERS_PER_MINUTE:
            return False
        return asyncio.get_running_loop().time() - answers[0] < 60.0

    def is_crowded(self, person: int) -> bool:
        """Return whether this person has the maximum number of waiting questions, over all channels."""
        maximum = self._slots.limits.waiting
        return 0 < maximum <= sum(queue.count_waiting(person) for queue in self._queues.values())

    def _wake_waiting(self) -> None:
        """Wake all queues that wait for a slot, the one with the oldest question first."""
        waiting = [queue for queue in self._queues.values() if queue.waiting]
        for queue in sorted(waiting, key=lambda queue: queue.waiting[0].since or 0.0):
            queue.wake_up()

    def _open(self, channel: int, channel_config: ChannelConfig) -> ChannelQueue:
        if len(self._queues) > MAX_QUEUES:
            # Queues are cheap to create again, so idle ones need not be kept.
            self._queues = {id_: queue for id_, queue in self._queues.items() if not queue.is_idle}
        debounce_s = channel_config.answer.debounce
        limits = QueueLimits(debounce_s, debounce_s * MAX_DEBOUNCE_FACTOR)
        queue = self._queues.get(channel)
        if queue is None:
            queue = self._queues[channel] = ChannelQueue(
                channel, self._run, self._show, self._stops, slots=self._slots, listener=self.listener
            )
        queue.limits, queue.guild = limits, channel_config.place.guild
        answer = channel_config.answer
        queue.follow_up, queue.steered_by = answer.follow_up, answer.steered_by
        return queue


@dataclass(frozen=True, slots=True)
class _Conversation:
    """A conversation of one person with a persona, which continues without mentions for a while."""

    persona: str
    since: float
    """When the last answer ended, in loop time."""
    used: int = 0
    """Messages without a mention that were accepted in a row."""


def find_personas(message: ChatMessage, channel_config: ChannelConfig) -> list[str]:
    """Return the personas that a message is for, in order; an empty name is the persona of the channel.

    A name in the text counts most, then the persona whose message is replied to.
    """
    listeners = channel_config.listeners
    named = find_named(message.calling_text, listeners)[: channel_config.answer.max_personas]
    if named:
        return [channel_config.address(name) for name in named]
    writer = find_writer(message.reply_shown_as, listeners)
    return [channel_config.address(writer) if writer else ""]


class Reason(StrEnum):
    """Why a message is answered."""

    DM = "dm"
    MENTION = "mention"
    REPLY = "reply"
    CHANNEL = "channel"
    THREAD = "thread"
    TRIGGER = "trigger"
    FOLLOW_UP = "follow_up"


_REASONS: tuple[tuple[Reason, Callable[[ChatMessage, AnswerConfig], bool]], ...] = (
    (Reason.DM, lambda message, config: message.dm and config.direct_messages),
    (Reason.MENTION, lambda message, config: message.mentions_us and config.mentions),
    (Reason.REPLY, lambda message, config: message.replies_to_us and config.replies),
    (Reason.CHANNEL, lambda message, config: bool({message.channel, message.parent} & {*config.channels})),
    (Reason.THREAD, lambda message, config: message.in_own_thread and config.threads),
    (Reason.TRIGGER, lambda message, config: has_trigger(message.calling_text, config.words)),
)
_FOR_BOTS = frozenset({Reason.MENTION, Reason.REPLY})


def find_reason(
    message: ChatMessage, config: AnswerConfig, bot_replies: int = 0, listeners: Sequence[Persona] = ()
) -> Reason | None:
    """Return why a message is answered, or `None`.

    Args:
        message: the message.
        config: when the bot answers here.
        bot_replies: how often we answered bots in a row.
        listeners: the personas that may be called by a part of their names.

    """
    if message.own or message.is_system_message or message.is_empty:
        return None
    # A mention in a direct message is still a direct message.
    if message.dm and not config.direct_messages:
        return None
    reasons = [reason for reason, applies in _REASONS if applies(message, config)]
    if not reasons and find_named(message.calling_text, listeners):
        reasons = [Reason.TRIGGER]
    if message.bot:
        # A bot must mention us or reply to us; otherwise two bots in one channel would talk for ever.
        reasons = [reason for reason in reasons if reason in _FOR_BOTS]
        if bot_replies >= config.max_bot_replies:
            return None
    return reasons[0] if reasons else None
