"""Hand follow-ups to a running answer between two rounds of tools, each exactly once.

A follow-up waits in the queue until it is handed over: so edits, deletions and stops find it there. Then it is
recorded in the journal of the answer, and the row in which it waited is deleted. A process that takes over finds it in
one of the two, and asks the model with it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import discord

from streamcord import Moderator, Receipt, ToolCall, check_text
from streamcord.providers import Prompt
from streamcord.store import TurnJournal

from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import ChatMessage
from ..messages.question import Question
from ..prompt.channel_history import ChannelHistory
from ..prompt.prompt_builder import build_follow_up
from .answer_journal import AnswerJournal, record_steered
from .answer_plan import AnswerPlan
from .reactions import WAITING, Reactions

_log = logging.getLogger(__name__)


class FollowUps:
    """Records and shows the follow-ups that wait, and hands them to running answers."""

    def __init__(
        self,
        client: discord.Client,
        history: ChannelHistory,
        moderators: tuple[Moderator, ...],
        journal: AnswerJournal,
        reactions: Reactions,
    ) -> None:
        self._client = client
        self._history = history
        self._moderators = moderators
        self._journal = journal
        self._reactions = reactions
        # The queues of this process, which call `on_wait` and `on_drop`; set once they exist.
        self.dispatcher: Dispatcher

    # --- Called by the queues --------------------------------------------------------------------

    def on_wait(self, question: Question) -> None:
        """Record a question that waits, so that a process that takes over keeps the order; show that it does."""
        self._journal.record_follow_up(question)
        channel: Any = self._client.get_channel(question.channel)
        if channel is None and question.messages[-1].dm:
            channel = self._client.get_partial_messageable(question.channel)
        # What steers is usually heard within seconds, and shown then.
        if question.waited and question.follow_up == "queue" and channel is not None:
            self._reactions.add(channel, question.messages[-1].id, WAITING)

    def on_drop(self, question: Question, ids: Collection[int]) -> None:
        """Forget messages that are not answered."""
        self._reactions.remove(ids)
        self._journal.withdraw(question, ids)

    # --- Called by an answer ---------------------------------------------------------------------

    def on_event(self, question: Question, event: object) -> None:
        """Handle an event of an answer: once words are shown or a tool runs, a follow-up does not start it over."""
        if isinstance(event, Receipt | ToolCall):
            question.has_begun = True
        if isinstance(event, Receipt):
            self._reactions.remove(question.ids)

    async def fetch(self, plan: AnswerPlan, turn: TurnJournal | None) -> Prompt:
        """Take over the follow-ups that wait, and return them as the model reads them."""
        question = plan.question
        ready, passed = [], set[int]()
        for waiting in self.dispatcher.find_steering(question):
            messages = tuple(waiting.messages)
            read = await self._read(plan, messages)
            if reason := await check_text(self._moderators, "\n".join(one.words for one in read), "question"):
                # It waits for its turn, where its author is told.
                _log.info("turn %s: a moderator blocked a follow-up: %s", plan.turn, reason)
                waiting.may_steer = False
                passed.add(waiting.owner)
                continue
            ready.append((waiting, messages, read))
        taken = []
        for waiting, messages, read in ready:
            # It may have been edited or withdrawn while it was read. Then later ones of its author wait with it.
            is_same = waiting.owner not in passed and tuple(waiting.messages) == messages
            if is_same and self.dispatcher.hand_over(waiting, question):
                taken.append((waiting, read))
            else:
                passed.add(waiting.owner)
        if not taken:
            return Prompt()
        if not await self._record(question, [waiting for waiting, _ in taken], turn):
            return Prompt()
        said = sorted((one for _, read in taken for one in read), key=lambda one: one.id)
        ids = [one.id for one in said]
        self._reactions.remove(ids)
        self._reactions.mark_heard(plan.channel, ids)
        _log.info("turn %s: %d follow-ups reach the next request", plan.turn, len(said))
        return self._write(plan, said)

    async def add_steered(self, plan: AnswerPlan) -> AnswerPlan:
        """Return the plan with the follow-ups that an earlier process, or an earlier answer, has taken over."""
        steered = plan.question.steered
        if not steered:
            return plan
        return replace(plan, prompt=plan.prompt + self._write(plan, await self._read(plan, steered)))

    async def _record(self, question: Question, taken: Sequence[Question], turn: TurnJournal | None) -> bool:
        """Record that an answer has taken over follow-ups; if it is stopped meanwhile, they wait again."""
        is_heard, left = False, [*taken]
        try:
            if turn is not None:
                record_steered(turn, _messages_of(taken))
                await turn.flush()
            is_heard = self.dispatcher.is_answering(question)
        finally:
            if not is_heard:
                if turn is not None:
                    record_steered(turn, _messages_of(taken), back=True)
                left = [one for one in reversed(taken) if not self.dispatcher.withdraw(one, question)]
            # The row of the answer, or of a question that was restarted with them, holds them now.
            for waiting in left:
                self._journal.release(waiting)
        return is_heard

    async def _read(self, plan: AnswerPlan, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        context = plan.channel_config.context
        return await self._history.read_follow_ups(
            plan.channel, plan.question, messages, context, plan.native_files
        )

    def _write(self, plan: AnswerPlan, messages: Sequence[ChatMessage]) -> Prompt:
        known = [*plan.conversation.messages, *plan.question.steered]
        return build_follow_up(messages, known, plan.channel_config.context)


def _messages_of(questions: Sequence[Question]) -> list[ChatMessage]:
    return [one for question in questions for one in question.messages]
