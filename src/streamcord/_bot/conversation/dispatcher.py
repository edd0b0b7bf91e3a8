"""Where messages come in: each is taken once, judged (is it for us?) and queued in its channel."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from enum import StrEnum

from streamcord import Asker, StopAnswer, StopMode, Stops
from streamcord._shared.bounded_cache import BoundedCache

from ..budget.turn_slots import TurnSlots
from ..config.sections import AnswerConfig
from .channel_config import ChannelConfig
from .channel_queue import ChannelQueue, Question, QueueLimits, QueueResult, Run, Show
from .chat_message import ChatMessage

__all__ = ["Dispatcher", "Reason", "SeenMessages", "WordSearch", "find_reason"]

CHANNEL_CAP = 10_000
QUEUE_CAP = 100
"""So many queues are kept before idle ones are removed."""
GATHER_FACTOR = 5
"""A question is answered after so many times the gathering time, however quickly its author goes on."""

_log = logging.getLogger("streamcord.bot")


class Dispatcher:
    """Passes messages to the queues of their channels; `run` answers, `show` shows typing."""

    def __init__(self, run: Run, show: Show, stops: Stops, slots: TurnSlots | None = None) -> None:
        self._run = run
        self._show = show
        self._stops = stops
        self._slots = slots or TurnSlots()
        self._slots.freed = self._look_again
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

    async def stop_in(self, channel: int, asker: Asker) -> StopAnswer:
        """Stop the running answer of a channel, or drop this person's waiting question."""
        answer = await self._stops.ask(channel, asker)
        queue = self._queues.get(channel)
        if answer is not StopAnswer.ACCEPTED and queue is not None and queue.forget(asker.id):
            return StopAnswer.ACCEPTED
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
        gather = channel_config.answer.gather
        limits = QueueLimits(gather, gather * GATHER_FACTOR)
        queue = self._queues.get(channel)
        if queue is None:
            queue = self._queues[channel] = ChannelQueue(
                channel, self._run, self._show, self._stops, slots=self._slots
            )
        queue.limits, queue.guild = limits, channel_config.place.guild
        return queue


class SeenMessages:
    """The ids of the last `cap` messages, so that each is answered once.

    The gateway repeats itself after a resume, and sometimes without one.
    """

    def __init__(self, cap: int = 10_000) -> None:
        self._seen: BoundedCache[int, None] = BoundedCache(cap)

    def __len__(self) -> int:
        return len(self._seen)

    def claim(self, id_: int) -> bool:
        """Take an id; false if it was taken before."""
        if id_ in self._seen:
            return False
        self._seen.keep(id_, None)
        return True

    def release(self, id_: int) -> None:
        """Give an id back, since nothing came of it."""
        self._seen.drop(id_)


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


def find_reason(message: ChatMessage, config: AnswerConfig, bot_rounds: int = 0) -> Reason | None:
    """Why a message is answered, or `None`; `bot_rounds` counts our last answers to bots in a row."""
    if message.own or message.is_note or message.is_empty:
        return None
    if message.dm and not config.direct_messages:
        return None
    reasons = [reason for reason, applies in _REASONS if applies(message, config)]
    if message.bot:
        # A bot must mention us or reply to us; else two bots in one channel would talk without an end.
        reasons = [reason for reason in reasons if reason in _FOR_BOTS]
        if bot_rounds >= config.bot_rounds:
            return None
    return reasons[0] if reasons else None


# Scripts without spaces have no word borders, so their letters are none here.
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+")


LOOK_CAP = 500
"""What stands in the middle of other words so often stands there always."""
SEARCHED = 30_000_000
"""Characters that are looked through for all words together: a book of strangers may have very many."""


class WordSearch:
    """Looks for words in a text, as whole words and in any case; every word takes one look at the text."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        self._words = frozenset(_WORD.findall(self._text))
        self._found: dict[str, bool] = {}
        self.left = SEARCHED

    def has(self, word: str) -> bool:
        """Whether the text contains this word, or these words."""
        folded = word.casefold()
        if folded not in self._found:
            self._found[folded] = self._look(folded)
        return self._found[folded]

    def _look(self, word: str) -> bool:
        if not word or word in self._words:
            return bool(word)
        # Several words can only be there if each of them is.
        if not self._words.issuperset(_WORD.findall(word)) or self.left < len(self._text):
            return False
        self.left -= len(self._text)
        text, at = self._text, self._text.find(word)
        for _ in range(LOOK_CAP):
            if at < 0:
                break
            if not (self._joins(at - 1, word[0]) or self._joins(at + len(word), word[-1])):
                return True
            # Whatever begins inside of the same word is a part of it, too.
            run = _WORD.match(text, at)
            at = text.find(word, run.end() if run else at + 1)
        return False

    def _joins(self, at: int, edge: str) -> bool:
        """Whether the neighbour makes it part of a longer word."""
        return 0 <= at < len(self._text) and bool(_WORD.match(self._text[at]) and _WORD.match(edge))


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Whether the text contains one of the words, as a whole word and in any case."""
    search = WordSearch(text)
    return any(search.has(trigger) for trigger in triggers)
