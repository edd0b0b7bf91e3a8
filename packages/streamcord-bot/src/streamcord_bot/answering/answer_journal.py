"""Record each answer of the bot, so that another process can resume it and clean up what it left."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import discord

from streamcord import Ending, Settings, TurnResult
from streamcord.store import TurnJournal

from ..coordination.base import Coordinator
from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question
from ..ops.metrics import Metrics
from ..state import BotState
from ..ui.notices import NoticeStyle, try_notice
from .interaction_state import describe_command

STEERED = "steered"
"""Kind of the rows about follow-ups that an answer has taken over, or has given back (`back`)."""
BUTTON, LINE, NOTICE = "button", "line", "notice"
"""Kinds of messages that an answer adds to a channel besides its text."""
RETRY_PAUSES = (2.0, 3.0, 5.0, 10.0, 20.0, *(30.0,) * 18, *(300.0,) * 12)
"""Seconds between two attempts to send a notice or to remove a button while Discord cannot be reached."""
Chore: TypeAlias = Callable[[], Awaitable[bool]]
BOOKKEEPING_TIMEOUT_S = 0.25
"""An answer does not wait longer for its bookkeeping, which then continues in the background."""


async def retry_chores(chores: Iterable[Chore]) -> None:
    """Try each of these again until it returns true, for about an hour."""
    left = [*chores]
    for pause in RETRY_PAUSES:
        await asyncio.sleep(pause)
        left = [chore for chore in left if not await chore()]
        if not left:
            return


@dataclass(eq=False, repr=False)
class AnswerJournal:
    """Records the questions and answers of this process, so that another process can resume them."""

    client: discord.Client
    coordinator: Coordinator
    state: BotState
    metrics: Metrics
    style: NoticeStyle

    async def claim(self, question: Question) -> bool:
        """Claim a question for this process; false if another one has answered it."""
        if question.journal is not None:
            # Another process may have resumed an interrupted answer in the meantime.
            is_ours = await self.coordinator.may_resume(question.journal)
            if not is_ours:
                self.state.owned_turn_ids.discard(question.journal.id)
            return is_ours
        if question.kind is not AnswerKind.ANSWER or question.is_shared:
            return True
        # The message that a command asks about may have been answered itself, so only the last one counts.
        asked = question.messages if question.reply is None else question.messages[-1:]
        return await self.coordinator.claim([message.id for message in asked], question)

    def record_waiting(self, question: Question) -> None:
        """Record a command that waits for its answer."""
        if question.reply is None or question.private or question.waiting_turn:
            return
        about = {**self.describe(question), "command": describe_command(question), "waits": True}
        question.waiting_turn = self._begin_waiting(about)

    def record_follow_up(self, question: Question) -> None:
        """Record a question that waits, with all its messages: they may be too old to be found, or have no mention."""
        before = question.waiting_turn
        question.waiting_turn = self._begin_waiting({**self.describe(question), "waits": True})
        # Afterwards, so that a kill in between leaves two rows of the same messages and not none.
        self.discard(before)

    def _begin_waiting(self, about: dict[str, Any]) -> TurnJournal | None:
        turn = self.coordinator.journal.begin(held=True, **about)
        if turn is not None:
            turn.begin(Settings(), None, None)
            self.state.owned_turn_ids.add(turn.id)
        return turn

    async def flush(self) -> None:
        """Wait until everything that was recorded is on disk."""
        await self.coordinator.journal.flush()

    def release(self, question: Question) -> None:
        """Forget that a question was recorded as waiting: its answer has begun, or there will be none."""
        self.discard(question.waiting_turn)
        question.waiting_turn = None

    def withdraw(self, question: Question, ids: Collection[int]) -> None:
        """Record that messages of a waiting question are not answered, so that no later process asks them again."""
        if question.reply is None and not question.is_shared:
            self.state.run_later(self.coordinator.mark_answered([*ids]))
        if not {one.id for one in question.messages}.difference(ids):
            self.release(question)
        elif question.waiting_turn is not None and question.reply is None:
            # Its row must say what it asks: recovery compares it with what an answer has taken over.
            self.record_follow_up(question)

    def discard(self, turn: TurnJournal | None) -> None:
        """Close a turn that no process has to resume."""
        if turn is not None:
            turn.close()
            self.state.owned_turn_ids.discard(turn.id)

    def leave(self, turn: TurnJournal | None) -> bool:
        """Leave a turn to the next recovery scan; false if it was not recorded."""
        if turn is not None:
            self.state.owned_turn_ids.discard(turn.id)
            self.state.has_pending_recovery = True
        return turn is not None

    def keep(self, question: Question) -> None:
        """Leave a question, or the rest of its answer, to recovery until the bot may write in the channel again."""
        waiting, question.waiting_turn = question.waiting_turn, None
        turn = question.journal or waiting
        if turn is None and not question.private and question.kind is AnswerKind.ANSWER:
            turn = self._begin_waiting({**self.describe(question), "waits": True})
        self.leave(turn)

    async def abandon(self, question: Question) -> None:
        """Abandon an interrupted answer that may not be resumed; the person was already notified."""
        if question.journal is not None:
            self.metrics.record_recovery("given_up")
            await self.coordinator.mark_answered(question.ids)
            self.discard(question.journal)

    def record(self, question: Question, turn: str) -> AnswerRecord:
        """Return the record of one answer."""
        return AnswerRecord(self, self.coordinator, self.state, self.style, question, turn)

    def describe(self, question: Question, turn: str = "") -> dict[str, Any]:
        """Return what another process needs to ask a question again."""
        guild = getattr(self.client.get_channel(question.channel), "guild", None)
        return {
            "bot": self.client.user.id if self.client.user else 0,
            "turn": turn,
            "channel": question.channel,
            "dm": question.messages[-1].dm,
            "guild": guild.id if guild else 0,
            "asked": [message.id for message in question.messages],
            "owner": question.owner,
            "asked_by": question.asked_by,
            "kind": question.kind.value,
            "replaces": list(question.replaces),
            "persona": question.persona,
            **({"shared": True} if question.is_shared else {}),
            **({"steered": [one.id for one in question.steered]} if question.steered else {}),
            **({"ask": question.ask, "ask_actor": question.ask_actor} if question.ask else {}),
        }


def record_steered(turn: TurnJournal, messages: Sequence[ChatMessage], *, back: bool = False) -> None:
    """Record that an answer has taken over follow-ups, or that they wait again."""
    more = {"back": True} if back else {}
    turn.mark(STEERED, 0, ids=[one.id for one in messages], **more)


def steered_ids(turn: TurnJournal) -> list[int]:
    """Return the follow-ups that an interrupted answer has taken over."""
    found = {*ids_in(turn.about.get("steered"))}
    for mark in turn.saved.marks if turn.saved else ():
        if mark.kind == STEERED:
            ids = {*ids_in(mark.more.get("ids"))}
            found = found - ids if mark.more.get("back") else found | ids
    return sorted(found)


def ids_in(value: object) -> list[int]:
    """Return the ids in a value of a row, which may be damaged."""
    return [one for one in value if isinstance(one, int)] if isinstance(value, list) else []


class AnswerRecord:
    """Opens a journal for each attempt at one answer, and closes it when nothing is left to do."""

    def __init__(
        self,
        answers: AnswerJournal,
        coordinator: Coordinator,
        state: BotState,
        style: NoticeStyle,
        question: Question,
        turn: str,
    ) -> None:
        self._answers = answers
        self._coordinator = coordinator
        self._state = state
        self._style = style
        self._question = question
        # The turn's id in log lines.
        self._turn = turn
        # The journal of the attempt that runs, or ran last.
        self._current: TurnJournal | None = None
        # What could not be done yet because Discord could not be reached: notices, buttons, lines.
        self._chores: list[Chore] = []

    @property
    def is_left(self) -> bool:
        """Whether another process has to resume the answer."""
        return self._current is not None and self._current.is_left

    @property
    def is_stray(self) -> bool:
        """Whether the channel contains messages of this answer that recovery cannot account for."""
        return self._current is not None and self._current.stray

    def open(self) -> TurnJournal | None:
        """Return the journal of the next attempt; the first attempt may resume what another process left."""
        # A private answer is never recorded: another process could only finish it in public.
        if self._question.private:
            return None
        first = self._current is None
        self._close()
        question = self._question
        if first and question.journal is not None:
            self._current = question.journal
        else:
            command = {"command": describe_command(question)} if question.reply is not None else {}
            about = {**self._answers.describe(question, self._turn), **command}
            self._current = self._coordinator.journal.begin(held=True, **about)
            # From here on the answer's own rows record a command. They are not written yet, so the row of a question in
            # messages stays until the answer ends: recovery knows by both that they are the same.
            if question.reply is not None:
                self._answers.release(question)
        if self._current is not None:
            # A command has its own way to be answered; an answer in a channel waits for the permission to write.
            self._current.waits_for_permission = question.open_reply is None
            self._state.owned_turn_ids.add(self._current.id)
        return self._current

    def mark_button(self, message: int, *, by_webhook: bool) -> None:
        """Record that a message gets a stop button, which a successor must remove."""
        if self._current is not None:
            self._current.mark(BUTTON, message, by_webhook=by_webhook)

    def mark_line(self, message: int, text: str) -> None:
        """Record a progress message, which a successor must delete; before it is sent its id is 0."""
        if self._current is not None:
            self._current.mark(LINE, message, text=text)

    def retry_later(self, chore: Chore) -> None:
        """Try something again after the answer, until it returns true; the journal stays open until then."""
        self._chores.append(chore)

    async def notify(
        self, channel: discord.abc.Messageable, text: str, reply_to: discord.Message | None
    ) -> bool:
        """Send a notice about the answer; returns false if Discord could not be reached.

        The notice is recorded first. If it cannot be sent now, this process, or another one, tries again later.
        """
        nonce = secrets.token_hex(8)
        if self._current is not None:
            asked = reply_to.id if reply_to else 0
            self._current.mark(NOTICE, asked, text=text, nonce=nonce)
        notice = (channel, text, reply_to, nonce, self._style.layout)
        if await try_notice(*notice):
            return True
        self.retry_later(partial(try_notice, *notice))
        return False

    async def _finish_later(self, result: TurnResult) -> None:
        await retry_chores(self._chores)
        self._chores = []
        await self.finish(result)

    async def finish(self, result: TurnResult) -> None:
        """Close the answer's journal, after its buttons and notices are done."""
        if self._chores:
            self._state.run_later(self._finish_later(result))
            return
        if self._current is None:
            return
        if self.is_left:
            self._answers.leave(self._current)
            return
        # An interrupted question is part of the next one, which is still to be answered.
        over = result.ending is not Ending.FOLLOW_UP_INTERRUPT and not self._question.discarded
        ids = self._question.ids if over else []
        # Mark the question first: a process that finds neither a mark nor rows would answer it again.
        if ids:
            await self._coordinator.mark_answered(ids, BOOKKEEPING_TIMEOUT_S)
        self._close()

    def _close(self) -> None:
        self._answers.discard(self._current)
