"""The queue of one channel: one answer at a time, quick messages joined, follow-ups first.

A queue knows nothing of Discord or of models. It decides what is answered next and when, and calls `run`.

Gathering costs nobody time: the first message of a person in a quiet channel is answered at once, but nothing
of the answer is shown before `hold`. If they go on meanwhile, it is dropped unseen and begins again once they
pause; so a burst of messages costs one request in vain, however long it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from streamcord import Stop, StopMode, Stops

from ..budget.concurrency import TurnSlots
from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question

__all__ = ["ChannelQueue", "Deferred", "QueueLimits", "QueueResult", "Run", "Show"]

RESTART_CAP = 3
"""So often a question that begins anew is the next one; then it waits behind the others."""
WAITED_CAP = 1
"""The same while others wait."""
QUESTION_CAP = 50
"""Messages that one question may consist of; the newest stay."""

_log = logging.getLogger(__name__)


class QueueResult(StrEnum):
    """What the queue did with a message."""

    TAKEN = "taken"
    JOINED = "joined"
    INTERRUPTED = "interrupted"
    FULL = "full"
    CROWDED = "crowded"
    """This person has too many questions that wait."""
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How long a queue waits for more messages of a person, and how many people may wait."""

    gather_seconds: float = 1.0
    gather_cap: float = 5.0
    queue_cap: int = 8


Run: TypeAlias = Callable[[Question, Stop], Awaitable[None]]
Show: TypeAlias = Callable[[Question], Awaitable[None]]


class Deferred(Exception):
    """A question must wait, since its person or server is answered enough in other processes."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not yet: {seconds:.1f} s")
        self.seconds = seconds


@dataclass(slots=True, eq=False)
class ChannelQueue:
    """The questions of one channel; `run` answers one, `show` lets people see that they were heard."""

    channel: int
    run: Run
    show: Show
    stops: Stops
    limits: QueueLimits = field(default_factory=QueueLimits)
    slots: TurnSlots = field(default_factory=TurnSlots)
    guild: int = 0
    waiting: list[Question] = field(default_factory=list)
    running: Question | None = None
    _stop: Stop | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: asyncio.Task[None] | None = None
    _refused: set[int] = field(default_factory=set)
    _answered: dict[int, float] = field(default_factory=dict)
    """When a person's last answer began, since the queue was last empty."""

    @property
    def is_idle(self) -> bool:
        """Whether nobody is answered and nobody waits."""
        return self._worker is None or self._worker.done()

    # --- What happens in the channel -------------------------------------------------------------

    def hear(self, message: ChatMessage, *, called: bool) -> QueueResult:
        """Take a message of the channel; `called` if it is meant for us."""
        mine = self._find_waiting(message.author)
        if mine is not None and (called or _now() < max(mine.ready, mine.hold)):
            self._join(mine, [message])
            return QueueResult.JOINED
        running = self.running
        if running is not None and running.owner == message.author and running.kind is AnswerKind.ANSWER:
            held = _now() < running.hold
            if called or held:
                self._restart([*running.messages, message], running)
                return QueueResult.JOINED if held else QueueResult.INTERRUPTED
        if not called:
            return QueueResult.IGNORED
        if len(self.waiting) >= self.limits.queue_cap:
            return self._refuse(message.author)
        self.put(Question(message.author, [message]))
        return QueueResult.TAKEN

    def ask(self, question: Question) -> QueueResult:
        """Take a question that was asked with a button, if there is room for it."""
        if len(self.waiting) >= self.limits.queue_cap:
            return QueueResult.FULL
        self.put(question)
        return QueueResult.TAKEN

    def put(self, question: Question, *, first: bool = False) -> None:
        """Add a question to the queue, whether there is room or not."""
        now = _now()
        # What follows an answer that broke off was written long after its question.
        gathers = question.kind is AnswerKind.ANSWER and question.journal is None
        pause = self.limits.gather_seconds if gathers else 0.0
        question.since = now if question.since is None else question.since
        if first or self.waiting or self.running:
            question.ready = self._pause_after(question)
        else:
            question.ready, question.hold = now, now + pause
        self.waiting.insert(0 if first else len(self.waiting), question)
        self._wake()

    def edit(self, id_: int, text: str) -> bool:
        """A message was edited: an answer to it that is being written starts over."""
        question = next(
            (question for question in [*self.waiting, self.running] if question and question.has(id_)), None
        )
        if question is None or all(one.text == text for one in question.messages if one.id == id_):
            return False
        messages = [one.with_text(text) if one.id == id_ else one for one in question.messages]
        if question is self.running:
            question.discarded = True
            self._restart(messages, question)
        else:
            question.messages = messages
        return True

    def delete(self, id_: int) -> bool:
        """A message was deleted, and with it what it asked for."""
        question = next(
            (question for question in [*self.waiting, self.running] if question and question.has(id_)), None
        )
        if question is None:
            return False
        left = [one for one in question.messages if one.id != id_]
        if question is self.running:
            if left and question.kind is AnswerKind.ANSWER:
                question.discarded = True
                self._restart(left, question)
            elif self._stop is not None:
                self._stop.ask(StopMode.NOW)
        elif left:
            question.messages = left
        else:
            self.waiting.remove(question)
        return True

    def forget(self, owner: int) -> bool:
        """Remove a person's waiting question; whether there was one."""
        question = self._find_waiting(owner)
        if question is not None:
            self.waiting.remove(question)
        return question is not None

    def waits(self, payer: int) -> int:
        """How many questions on this person's budget wait."""
        return sum(question.payer == payer for question in self.waiting)

    def has_question_of(self, owner: int) -> bool:
        """Whether a message of this person would join a question that waits or is being answered."""
        running = self.running
        return self._find_waiting(owner) is not None or (running is not None and running.owner == owner)

    def look_again(self) -> None:
        """A place became free: somebody who waits may be next."""
        self._news.set()

    async def finished(self) -> None:
        """Wait until the queue is empty."""
        if self._worker is not None:
            await asyncio.wait({self._worker})

    async def close(self) -> None:
        """Cancel what still runs."""
        self.waiting.clear()
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    async def finish_running(self) -> None:
        """Wait for the running answer; waiting questions are dropped."""
        self.waiting.clear()
        self._news.set()
        if self._worker is not None:
            await asyncio.wait({self._worker})

    # --- Who is next -----------------------------------------------------------------------------

    def _find_waiting(self, owner: int) -> Question | None:
        return next(
            (
                question
                for question in self.waiting
                if question.owner == owner
                and question.kind is AnswerKind.ANSWER
                # The rest of an answer that broke off answers nothing new.
                and question.journal is None
            ),
            None,
        )

    def _join(self, question: Question, messages: Sequence[ChatMessage]) -> None:
        question.messages = sorted([*question.messages, *messages], key=lambda one: one.id)[-QUESTION_CAP:]
        question.ready, question.hold = self._pause_after(question), 0.0
        self._news.set()

    def _pause_after(self, question: Question) -> float:
        """When the author has paused long enough, or has written for too long."""
        if question.kind is not AnswerKind.ANSWER or question.since is None:
            return _now()
        return min(_now() + self.limits.gather_seconds, question.since + self.limits.gather_cap)

    def _restart(self, messages: list[ChatMessage], before: Question) -> None:
        """Stop the running answer and answer these messages next."""
        if self._stop is not None:
            self._stop.ask(StopMode.NOW)
        waiting = self._find_waiting(before.owner)
        if waiting is not None:
            self.waiting.remove(waiting)
            known = {one.id for one in messages}
            messages = [*messages, *(one for one in waiting.messages if one.id not in known)]
        messages = sorted(messages, key=lambda one: one.id)
        since = before.since if _now() < before.hold else None
        again = Question(
            before.owner,
            messages[-QUESTION_CAP:],
            before.kind,
            since,
            replaces=before.replaces,
            restarts=before.restarts + 1,
            asked_by=before.asked_by,
        )
        # Whoever never leaves their question alone must not keep the others waiting.
        self.put(again, first=again.restarts <= (WAITED_CAP if self.waiting else RESTART_CAP))

    def _refuse(self, owner: int) -> QueueResult:
        if owner in self._refused:
            return QueueResult.IGNORED
        self._refused.add(owner)
        return QueueResult.FULL

    def _wake(self) -> None:
        self._news.set()
        if self.is_idle:
            self._worker = asyncio.create_task(self._work(), name=f"queue of channel {self.channel}")

    # --- One after the other ---------------------------------------------------------------------

    async def _work(self) -> None:
        while question := await self._next():
            self.waiting.remove(question)
            try:
                await self._answer(question)
            finally:
                self.slots.end(question.payer, self.guild)
        self._refused.clear()
        self._answered.clear()

    async def _answer(self, question: Question) -> None:
        async with self.stops.turn(self.channel, question.owner) as stop:
            self.running, self._stop = question, stop
            try:
                await self.run(question, stop)
            except Deferred as later:
                question.ready, question.hold = _now() + later.seconds, 0.0
                self.waiting.insert(0, question)
                self.slots.forget_start(question.payer)
            except Exception:
                # One answer that fails must not take the channel with it.
                _log.exception("a turn in channel %s failed", self.channel)
            finally:
                self.running = self._stop = None

    async def _next(self) -> Question | None:
        """The first question that may be answered, which has its place among those that are answered at once.

        Until then, the first who waits is shown that they were heard.
        """
        shown: Question | None = None
        while self.waiting:
            ready, again = self._find_ready()
            if ready is not None:
                return ready
            if self.waiting[0] is not shown:
                shown = self.waiting[0]
                await self.show(shown)
                continue
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if again == float("inf") else again):
                    await self._news.wait()
        return None

    def _find_ready(self) -> tuple[Question | None, float]:
        """The first question that may be answered now, or when to look again."""
        now, again = _now(), float("inf")
        for question in sorted(self.waiting, key=self._turn):
            at = question.ready
            if at <= now:
                wait = self.slots.begin(question.payer, self.guild, now)
                if not wait:
                    self._answered[question.payer] = now
                    return question, now
                at = now + wait
            again = min(again, at)
        return None, again

    def _turn(self, question: Question) -> float:
        """Who was answered longest ago, or never, goes first; what begins anew has its turn already."""
        if 0 < question.restarts <= WAITED_CAP:
            return float("-inf")
        return self._answered.get(question.payer, float("-inf"))


def _now() -> float:
    return asyncio.get_running_loop().time()
