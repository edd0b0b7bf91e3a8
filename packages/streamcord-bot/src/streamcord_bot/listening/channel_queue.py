"""The queue of one channel: one answer at a time, quick messages joined, follow-ups first or in their turn.

A queue does not depend on Discord or on models. It decides which question is answered next and when, and calls
`run`.

Debouncing adds no delay: the first message of a person in an idle channel is answered at once, and the answer is
shown as soon as it has words. If the person writes more before `gathers_until`, the answer starts again when they
pause, with all messages; usually nothing of the first one was shown yet, and what was shown is deleted. So a burst of
messages wastes at most one request to the model. Where follow-ups wait or steer (`follow_ups`), an answer that has
begun does not start again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from streamcord import RunningTurns, Stop, StopMode

from ..budget.concurrency import TurnSlots
from ..config.answer import FollowUp
from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question
from .follow_ups import NullListener, QueueListener, may_steer

MAX_RESTARTS = 3
"""A question that was restarted up to this many times stays first in line."""
MAX_RESTARTS_IN_LINE = 1
"""The same while other people wait."""
MAX_QUESTION_MESSAGES = 50
"""A question keeps its newest messages."""

_log = logging.getLogger(__name__)


class QueueResult(StrEnum):
    """What the queue did with a message."""

    QUEUED = "queued"
    JOINED = "joined"
    INTERRUPTED = "interrupted"
    FULL = "full"
    CROWDED = "crowded"
    """The person has too many waiting questions."""
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How long a queue waits for more messages of a person, and how many questions may wait."""

    debounce_s: float = 1.0
    max_debounce_s: float = 5.0
    max_waiting: int = 8


Run: TypeAlias = Callable[[Question, Stop], Awaitable[None]]
Show: TypeAlias = Callable[[Question], Awaitable[None]]


class Deferred(Exception):
    """A question must wait, because its person or server has too many answers in other processes."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not yet: {seconds:.1f} s")
        self.seconds = seconds


@dataclass(slots=True, eq=False)
class ChannelQueue:
    """The questions of one channel; `run` answers one, `show` shows typing while it waits.

    It has more than 15 attributes because the running answer, the questions that wait and those that were answered
    change together.
    """

    channel: int
    run: Run
    show: Show
    stops: RunningTurns
    limits: QueueLimits = field(default_factory=QueueLimits)
    slots: TurnSlots = field(default_factory=TurnSlots)
    listener: QueueListener = field(default_factory=NullListener)
    guild: int = 0
    # What a follow-up does here, and whose messages steer; a persona may have another value of its own.
    follow_up: FollowUp = "interrupt"
    steered_by: str = "asker"
    waiting: list[Question] = field(default_factory=list)
    running: Question | None = None
    # The question that was answered last; a message right after it may need no mention.
    _answered_last: Question | None = None
    # Stops the running answer.
    _stop: Stop | None = None
    # Set when the worker must look at the waiting questions again.
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: asyncio.Task[None] | None = None
    # People who got the notice that the queue is full, since it was last empty.
    _refused: set[int] = field(default_factory=set)
    # When the last answer of each person began, since the queue was last empty.
    _answered: dict[int, float] = field(default_factory=dict)

    @property
    def is_idle(self) -> bool:
        """Whether no answer runs and no question waits."""
        return self._worker is None or self._worker.done()

    # --- Events of the channel -------------------------------------------------------------------

    def receive(
        self, message: ChatMessage, *, called: bool, persona: str = "", is_shared: bool = False
    ) -> QueueResult:
        """Handle a message of the channel.

        Args:
            message: the message.
            called: whether it is addressed to the bot.
            persona: the persona that is meant; empty is the one of the channel.
            is_shared: whether another persona answers the same message first.

        """
        if not called:
            return self._receive_more(message)
        mine = self._find_joinable(message.author, persona)
        if mine is not None:
            # The message belongs to a question that still waits.
            self._join(mine, [message])
            return QueueResult.JOINED
        running = self.running
        # A message for another persona does not interrupt this one.
        if running is not None and running.takes(message) and running.persona == persona:
            gathers = _now() < running.gathers_until
            if running.follow_up == "interrupt" or (gathers and not running.has_begun):
                self._restart([*running.messages, message], running)
                return QueueResult.JOINED if gathers else QueueResult.INTERRUPTED
        if len(self.waiting) >= self.limits.max_waiting:
            return self._refuse(message.author)
        self.put(Question(message.author, [message], persona=persona, is_shared=is_shared))
        return QueueResult.QUEUED

    def _receive_more(self, message: ChatMessage) -> QueueResult:
        """Add a message that calls no persona to the questions that its author is still writing.

        These are several if the author called several personas.
        """
        now, joined = _now(), set[str]()
        for mine in self.waiting:
            if mine.takes(message) and not mine.is_resumed and now < max(mine.ready_at, mine.gathers_until):
                self._join(mine, [message])
                joined.add(mine.persona)
        running = self.running
        gathers = running is not None and running.takes(message) and now < running.gathers_until
        # A running answer whose question joined above is being restarted already.
        if running is not None and gathers and running.persona not in joined:
            if running.follow_up != "interrupt" and running.has_begun:
                return self._add_follow_up(message, running.persona)
            self._restart([*running.messages, message], running)
            joined.add(running.persona)
        if joined:
            return QueueResult.JOINED
        # A short answer may be complete before its author has written the second message. Another bot gets no
        # such answer: it would not count as one, and two bots could talk for ever.
        last = self._answered_last
        if message.bot or last is None or not last.takes(message) or now >= last.gathers_until:
            return QueueResult.IGNORED
        return self._add_follow_up(message, last.persona)

    def _add_follow_up(self, message: ChatMessage, persona: str) -> QueueResult:
        """Queue a message that calls no persona, but follows one that did."""
        if len(self.waiting) >= self.limits.max_waiting:
            return self._refuse(message.author)
        self.put(Question(message.author, [message], persona=persona))
        return QueueResult.QUEUED

    def ask(self, question: Question) -> QueueResult:
        """Queue a question that was asked with a button, unless the queue is full."""
        if len(self.waiting) >= self.limits.max_waiting:
            return QueueResult.FULL
        self.put(question)
        return QueueResult.QUEUED

    def put(self, question: Question, *, first: bool = False) -> None:
        """Add a question to the queue, even if it is full."""
        now = _now()
        # A resumed answer is not debounced: its question is complete since long.
        gathers = question.kind is AnswerKind.ANSWER and not question.is_resumed
        pause = self.limits.debounce_s if gathers else 0.0
        question.since = now if question.since is None else question.since
        question.follow_up = self._mode_of(question.persona)
        waits = bool(self.waiting or self.running)
        if first or waits:
            question.ready_at = self._pause_after(question)
        else:
            question.ready_at, question.gathers_until = now, now + pause
        self.waiting.insert(0 if first else self._find_place(question), question)
        # A restarted question is older than its own first answer.
        is_kept = waits or question.waiting_turn is not None
        question.waited = is_kept and _is_follow_up(question) and not question.restarts
        # A question that was restarted is not in the channel as one. One that waits behind a long answer may be too old
        # to be found in the channel after a kill.
        is_behind = waits and question.takes_messages and not question.is_resumed
        if _is_follow_up(question) or is_behind or (question.restarts and question.reply is None):
            self.listener.on_wait(question)
        self._start_worker()

    def _mode_of(self, persona: str) -> FollowUp:
        """Return what a message to a persona does that gets an answer now; the planned answer knows best."""
        running = self.running
        return running.follow_up if running is not None and running.persona == persona else self.follow_up

    def _find_place(self, question: Question) -> int:
        """Return where a question waits: at the end, but a restarted one before follow-ups of the same person."""
        if question.restarts and question.follow_up != "interrupt":
            for at, one in enumerate(self.waiting):
                if _is_follow_up(one) and (one.owner, one.persona) == (question.owner, question.persona):
                    return at
        return len(self.waiting)

    def edit(self, id_: int, text: str) -> bool:
        """Handle an edit: a running answer to the message starts over. Returns whether a question changed.

        Only an edit by the person who pays restarts a running answer. Otherwise the author of a message that
        another user asked about could spend that person's budget, one request per edit.
        """
        changed = [self._edit(question, id_, text) for question in self._questions_with(id_)]
        return any(changed)

    def _questions_with(self, id_: int) -> list[Question]:
        """Return the questions that contain a message: one for each persona that answers it."""
        found = [question for question in self.waiting if question.has(id_)]
        running = self.running
        # A running answer that is being restarted has its successor among the waiting questions.
        if running is not None and running.has(id_) and all(one.persona != running.persona for one in found):
            found.append(running)
        return found

    def _edit(self, question: Question, id_: int, text: str) -> bool:
        if all(one.text == text for one in question.messages if one.id == id_):
            return False
        messages = [one.with_text(text) if one.id == id_ else one for one in question.messages]
        if question is self.running:
            by_payer = all(one.author == question.payer for one in question.messages if one.id == id_)
            # The reply to a command cannot be taken back, so it is finished with the text that was asked.
            if not by_payer or question.reply is not None:
                return False
            # Parts of the old answer may be visible already: they are deleted.
            question.discarded = True
            self._restart(messages, question)
        else:
            question.messages = messages
        return True

    def delete(self, id_: int) -> bool:
        """Handle a deletion: the message is removed from its question. Returns whether a question changed."""
        changed = [self._delete(question, id_) for question in self._questions_with(id_)]
        return any(changed)

    def _delete(self, question: Question, id_: int) -> bool:
        left = [one for one in question.messages if one.id != id_]
        if question is self.running:
            # A command has its own text besides the message it is about, so its answer continues.
            if left and question.reply is not None:
                return False
            if left and question.kind is AnswerKind.ANSWER:
                question.discarded = True
                self._restart(left, question)
            elif self._stop is not None:
                self._stop.ask(StopMode.INTERRUPT)
                if question.kind is AnswerKind.ANSWER:
                    self._return_steered(question, question.steered)
            return True
        if left:
            question.messages = left
        else:
            self.waiting.remove(question)
        self.listener.on_drop(question, [id_])
        return True

    def forget(self, owner: int) -> bool:
        """Remove a person's waiting question and return whether there was one."""
        found = False
        # Several personas may have been asked; a person who stops wants none of their answers.
        while (question := self._find_waiting(owner)) is not None:
            self.waiting.remove(question)
            self.listener.on_drop(question, question.ids)
            found = True
        return found

    def forget_siblings(self, stopped: Question) -> None:
        """Remove the waiting questions to other personas that a message of a stopped question asked, too."""
        asked = {message.id for message in stopped.messages}
        for one in [*self.waiting]:
            if not one.is_resumed and not asked.isdisjoint(one.ids):
                self.waiting.remove(one)
                self.listener.on_drop(one, one.ids)

    def count_waiting(self, payer: int) -> int:
        """Return how many waiting questions this person pays for."""
        return sum(question.payer == payer for question in self.waiting)

    def has_question_of(self, owner: int, persona: str | None = None) -> bool:
        """Return whether this person has a question to a persona (`None`: any) that a new message joins."""
        running = [self.running] if self.running and self.running.reply is None else []
        waiting = [one for one in self.waiting if one.takes_messages and not one.is_resumed]
        return any(one.owner == owner and persona in {None, one.persona} for one in [*running, *waiting])

    def would_join(self, owner: int, persona: str) -> bool:
        """Return whether a message of this person to a persona would be a part of a question that exists."""
        if self._find_joinable(owner, persona) is not None:
            return True
        running = self.running
        is_taken = running is not None and running.owner == owner and running.reply is None
        return running is not None and is_taken and running.follow_up == "interrupt"

    def find_steering(self, running: Question) -> list[Question]:
        """Return the waiting questions that this running answer may take over, in order."""
        if not self.is_answering(running):
            return []
        found, passed = [], set[int]()
        for one in self.waiting:
            # A later message does not overtake one of the same person that cannot be taken over.
            if one.owner not in passed and may_steer(one, running, self.steered_by):
                found.append(one)
            else:
                passed.add(one.owner)
        return found

    def is_answering(self, question: Question) -> bool:
        """Return whether this answer is running and no one has stopped it."""
        return self.running is question and self._stop is not None and self._stop.mode is None

    def hand_over(self, waiting: Question, running: Question) -> bool:
        """Let a running answer take over a waiting question; false if one of them does not exist any more."""
        if waiting not in self.find_steering(running):
            return False
        self.waiting.remove(waiting)
        running.steered = sorted([*running.steered, *waiting.messages], key=lambda one: one.id)
        return True

    def withdraw(self, waiting: Question, running: Question) -> bool:
        """Let a question wait again that an answer has taken over, but not handed to the model.

        Returns false if the answer was restarted: then it is a part of that question.
        """
        ids = {one.id for one in waiting.messages}
        if not ids.issubset(one.id for one in running.steered):
            return False
        running.steered = [one for one in running.steered if one.id not in ids]
        self.put(waiting, first=True)
        return True

    def wake_up(self) -> None:
        """Check the waiting questions again, because a slot became free."""
        self._changed.set()

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
        self._changed.set()
        if self._worker is not None:
            await asyncio.wait({self._worker})

    # --- Order -----------------------------------------------------------------------------------

    def _find_waiting(self, owner: int) -> Question | None:
        """Return a person's waiting question, asked with messages or with a command."""
        asked = (one for one in self.waiting if one.owner == owner and one.kind is AnswerKind.ANSWER)
        # A resumed answer has begun, so its question cannot be withdrawn.
        return next((one for one in asked if not one.is_resumed), None)

    def _find_joinable(self, owner: int, persona: str) -> Question | None:
        """Return a person's waiting question to this persona that takes further messages."""
        mine = [one for one in self.waiting if (one.owner, one.persona) == (owner, persona)]
        # New messages cannot join a resumed answer.
        takes = [one for one in mine if one.takes_messages and not one.is_resumed]
        mode = self._mode_of(persona)
        if mode == "interrupt" or not takes:
            return takes[0] if takes else None
        # Follow-ups that wait for their turn are questions of their own, unless they are written at once.
        last = takes[-1]
        is_open = mode == "steer" or _now() < last.ready_at
        return last if is_open and len(last.messages) < MAX_QUESTION_MESSAGES else None

    def _join(self, question: Question, messages: Sequence[ChatMessage]) -> None:
        joined = sorted([*question.messages, *messages], key=lambda one: one.id)
        question.messages = joined[-MAX_QUESTION_MESSAGES:]
        question.ready_at, question.gathers_until = self._pause_after(question), 0.0
        if left_out := [one.id for one in joined[:-MAX_QUESTION_MESSAGES]]:
            self.listener.on_drop(question, left_out)
        # A row that exists must list all messages, in every mode.
        if _is_follow_up(question) or question.waiting_turn is not None:
            self.listener.on_wait(question)
        self._changed.set()

    def _pause_after(self, question: Question) -> float:
        """Return when the author has paused long enough, or the maximum debounce time is over."""
        if question.kind is not AnswerKind.ANSWER or question.since is None:
            return _now()
        return min(_now() + self.limits.debounce_s, question.since + self.limits.max_debounce_s)

    def _restart(self, messages: list[ChatMessage], before: Question) -> None:
        """Stop the running answer and answer these messages next."""
        if self._stop is not None:
            self._stop.ask(StopMode.INTERRUPT)
        # What the stopped answer has taken over is still to be answered: here, or as a question of its own.
        if before.kind is AnswerKind.ANSWER:
            messages = [*messages, *(one for one in before.steered if one.author == before.owner)]
            self._return_steered(before, [one for one in before.steered if one.author != before.owner])
        waiting = (
            self._find_joinable(before.owner, before.persona) if before.follow_up == "interrupt" else None
        )
        if waiting is not None:
            self.waiting.remove(waiting)
            known = {one.id for one in messages}
            messages = [*messages, *(one for one in waiting.messages if one.id not in known)]
        messages = sorted(messages, key=lambda one: one.id)
        # Within the debounce time the first answer is taken back, and the maximum debounce time keeps running.
        gathers = _now() < before.gathers_until
        before.discarded = before.discarded or gathers
        since = before.since if gathers else None
        # A copy keeps everything about how it was asked; only the state of the stopped answer is reset.
        again = replace(
            before,
            messages=messages[-MAX_QUESTION_MESSAGES:],
            since=since,
            ready_at=0.0,
            gathers_until=0.0,
            seen_at=float("-inf"),
            discarded=False,
            has_begun=False,
            restarts=before.restarts + 1,
            journal=None,
            # The row of the question that it contains now.
            waiting_turn=waiting.waiting_turn if waiting is not None else before.waiting_turn,
        )
        # A person who keeps changing their question must not block the others.
        self.put(again, first=again.restarts <= (MAX_RESTARTS_IN_LINE if self.waiting else MAX_RESTARTS))

    def _return_steered(self, question: Question, messages: Sequence[ChatMessage]) -> None:
        """Ask messages again that a stopped answer has taken over, one question for each author."""
        question.steered = []
        for author in dict.fromkeys(one.author for one in messages):
            own = [one for one in messages if one.author == author]
            # What waits was written later.
            self.put(Question(author, own, persona=question.persona), first=True)

    def _refuse(self, owner: int) -> QueueResult:
        if owner in self._refused:
            return QueueResult.IGNORED
        self._refused.add(owner)
        return QueueResult.FULL

    def _start_worker(self) -> None:
        self._changed.set()
        if self.is_idle:
            self._worker = asyncio.create_task(self._work(), name=f"queue of channel {self.channel}")

    # --- Worker ----------------------------------------------------------------------------------

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
                question.ready_at, question.gathers_until = _now() + later.seconds, 0.0
                self.waiting.insert(0, question)
                # The question did not run, so it does not count against the rate of its payer.
                self.slots.forget_start(question.payer)
            except Exception:
                # A failed answer must not stop the queue of its channel.
                _log.exception(
                    "channel %s: an answer failed, continuing with the next question", self.channel
                )
            finally:
                self.running = self._stop = None
                # No one who stopped an answer asks for another one with their next words.
                self._answered_last = question if stop.mode is None else None

    async def _next(self) -> Question | None:
        """Wait for the next question that may be answered, and acquire its concurrency slot.

        While it waits, typing is shown for the first waiting question.
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
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if again == float("inf") else again):
                    await self._changed.wait()
        return None

    def _find_ready(self) -> tuple[Question | None, float]:
        """Return the first question that may be answered now, or the time of the next check."""
        now, again = _now(), float("inf")
        # People with a follow-up that must wait longer: their later ones do not overtake it.
        held = set[tuple[int, str]]()
        for question in sorted(self.waiting, key=self._priority):
            key = (question.owner, question.persona)
            if _is_follow_up(question):
                if key in held:
                    continue
                held.add(key)
            at = question.ready_at
            if at <= now:
                wait = self.slots.begin(question.payer, self.guild, now)
                if not wait:
                    self._answered[question.payer] = now
                    return question, now
                at = now + wait
            again = min(again, at)
        return None, again

    def _priority(self, question: Question) -> float:
        """Sort by the time of the payer's last answer, oldest first; restarted questions keep their turn."""
        if 0 < question.restarts <= MAX_RESTARTS_IN_LINE:
            return float("-inf")
        return self._answered.get(question.payer, float("-inf"))


def _is_follow_up(question: Question) -> bool:
    """Return whether a waiting question is recorded and shown as waiting, and answered in its order."""
    return question.follow_up != "interrupt" and question.takes_messages and not question.is_resumed


def _now() -> float:
    return asyncio.get_running_loop().time()
