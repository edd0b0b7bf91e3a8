"""The journal of one answer of the bot: what is needed to go on with it, and what must be tidied up."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import discord

from streamcord import Ending, Settings, StoreError, TurnResult
from streamcord.store import TurnJournal

from ..conversation.channel_queue import AnswerKind, NotYet, Question
from ..notices import try_notice
from .command_reply import describe_command

if TYPE_CHECKING:
    from ..cluster.bot_cluster import BotCluster
    from ..services import Services

__all__ = ["AnswerRecord", "give_up", "keep_command", "let_go", "take_question"]

BUTTON, LINE, NOTICE = "button", "line", "notice"
"""What an answer puts into a channel besides its words."""
NOTICE_PAUSES = (2.0, 3.0, 5.0, 10.0, 20.0, *(30.0,) * 18)
"""Seconds between two tries to tell people something while Discord cannot be reached."""
PATIENCE = 0.25
"""Seconds that an answer waits for its own bookkeeping, at most; the rest is done beside it."""


async def take_question(services: Services, question: Question) -> bool:
    """Take a question for this process; false if another one has answered it."""
    if services.cluster is not None and question.journal is not None:
        return await _take_broken(services, services.cluster, question.journal)
    if services.journal is None or question.journal is not None or question.kind is not AnswerKind.ANSWER:
        return True
    # What a command asks about may have been answered for itself.
    asked = question.messages if question.reply is None else question.messages[-1:]
    ids = [message.id for message in asked]
    if services.cluster is not None:
        return await _take_among_others(services, services.cluster, ids, question)
    taking = services.run_later(_take(services, ids, question))
    await asyncio.wait({taking}, timeout=PATIENCE)
    # Better answered by two than by nobody; the lease sees to it that there is one.
    return taking.result() if taking.done() else True


async def _take(services: Services, ids: list[int], question: Question) -> bool:
    assert services.journal is not None
    try:
        return await services.journal.claims.take(ids, question.channel, question.owner)
    except StoreError as error:
        services.note_store_error(error)
        return True


def keep_command(services: Services, question: Question) -> None:
    """Write down a command that waits for its answer; what people ask by messages is found in the channel."""
    if services.journal is None or question.reply is None or question.private or question.waits:
        return
    about = {**_describe(services, question), "command": describe_command(question), "waits": True}
    question.waits = services.journal.begin(held=True, **about)
    question.waits.begin(Settings(), None, None)
    services.live_turns.add(question.waits.id)


def let_go(services: Services, question: Question) -> None:
    """A command waits no longer: its answer has begun, or there will be none."""
    if question.waits is not None:
        question.waits.close()
        services.live_turns.discard(question.waits.id)
        question.waits = None


async def give_up(services: Services, question: Question) -> None:
    """An answer that broke off may not go on, and people know why: nobody takes it up again."""
    if question.journal is not None and services.journal is not None:
        services.metrics.note_recovery("given_up")
        ids = [message.id for message in question.messages]
        if services.cluster is not None:
            services.cluster.journal.note_answered(ids)
        else:
            await _note_answered(services, ids)
        question.journal.close()
        services.live_turns.discard(question.journal.id)


async def _note_answered(services: Services, ids: Iterable[int]) -> None:
    assert services.journal is not None
    try:
        await services.journal.claims.finish(ids)
    except StoreError as error:
        services.note_store_error(error)


def _describe(services: Services, question: Question, turn: str = "") -> dict[str, Any]:
    """What is needed to ask a question again."""
    return {
        "bot": services.client.user.id if services.client.user else 0,
        "turn": turn,
        "channel": question.channel,
        "dm": question.messages[-1].dm,
        "guild": _guild_of(services, question.channel),
        "asked": [message.id for message in question.messages],
        "owner": question.owner,
        "asked_by": question.asked_by,
        "kind": question.kind.value,
        "replaces": list(question.replaces),
    }


def _guild_of(services: Services, channel: int) -> int:
    guild = getattr(services.client.get_channel(channel), "guild", None)
    return guild.id if guild else 0


async def _take_among_others(
    services: Services, cluster: BotCluster, ids: list[int], question: Question
) -> bool:
    """Several processes may have heard it: what another one has answered is no question any more."""
    claims = cluster.journal.claims
    unanswered = [id_ for id_ in ids if not cluster.journal.was_answered(id_)]
    guild = _guild_of(services, question.channel)
    limits = services.dispatcher.left_for(question.payer, guild)
    try:
        taken, pause = await claims.take_within(unanswered, question.channel, question.owner, guild, *limits)
        if pause:
            raise NotYet(pause)
        if left := [id_ for id_ in unanswered if id_ not in taken]:
            # Who has it may die before it has said anything; then it is heard again.
            services.dispatcher.release(await claims.taken_elsewhere(left))
    except StoreError as error:
        services.note_store_error(error)
        return True
    if taken:
        # Somebody may be reading the conversation around its last message just now.
        question.messages = [one for one in question.messages if one.id in taken or one.id not in ids]
    return bool(taken)


async def _take_broken(services: Services, cluster: BotCluster, turn: TurnJournal) -> bool:
    """Go on with an answer that broke off, unless somebody else did while it waited here."""
    if await cluster.journal.is_unchanged(turn):
        return True
    services.live_turns.discard(turn.id)
    return False


class AnswerRecord:
    """Opens the journal for every try of one answer, and closes it when nothing is left to be done."""

    def __init__(self, services: Services, question: Question, turn: str) -> None:
        self._services = services
        self._question = question
        self._turn = turn
        self._current: TurnJournal | None = None
        self._untold: tuple[Any, ...] = ()

    @property
    def is_left(self) -> bool:
        """Whether somebody has to go on with it later."""
        return self._current is not None and self._current.is_left

    @property
    def is_stray(self) -> bool:
        """Whether the channel holds words of it that nobody knows."""
        return self._current is not None and self._current.stray

    def open(self) -> TurnJournal | None:
        """The journal of the next try; the first one may be what another process left."""
        journal = self._services.journal
        # What only one person may see must never be finished in the open.
        if journal is None or self._question.private:
            return None
        first = self._current is None
        self._close()
        question = self._question
        if first and question.journal is not None:
            self._current = question.journal
        else:
            command = {"command": describe_command(question)} if question.reply is not None else {}
            about = {**_describe(self._services, question, self._turn), **command}
            self._current = journal.begin(held=True, **about)
            # From here on the answer itself tells of it, in the same moment.
            let_go(self._services, question)
        self._services.live_turns.add(self._current.id)
        return self._current

    def mark_button(self, message: int, *, by_webhook: bool) -> None:
        """A stop button is put below a message."""
        if self._current is not None:
            self._current.mark(BUTTON, message, by_webhook=by_webhook)

    def mark_line(self, message: int) -> None:
        """A line tells people of a tool."""
        if self._current is not None:
            self._current.mark(LINE, message)

    async def tell(
        self, channel: discord.abc.Messageable, text: str, reply_to: discord.Message | None
    ) -> bool:
        """Tell people something about the answer; false if Discord could not be reached, so that it is later.

        It stands in the journal until it is told, also by another process.
        """
        nonce = secrets.token_hex(8)
        if self._current is not None:
            asked = reply_to.id if reply_to else 0
            self._current.mark(NOTICE, asked, text=text, nonce=nonce)
        told = (channel, text, reply_to, nonce, self._services.notice_look)
        if await try_notice(*told):
            return True
        self._untold = told
        return False

    async def _tell_later(self, result: TurnResult) -> None:
        for pause in NOTICE_PAUSES:
            await asyncio.sleep(pause)
            if await try_notice(*self._untold):
                break
        self._untold = ()
        await self.finish(result)

    async def finish(self, result: TurnResult) -> None:
        """The answer is over, and so are its buttons and notices."""
        if self._untold:
            self._services.run_later(self._tell_later(result))
            return
        if self._current is None:
            return
        if self.is_left:
            self._services.live_turns.discard(self._current.id)
            self._services.left_turns = True
            return
        over = result.ending is not Ending.FOLLOW_UP_INTERRUPT
        ids = [message.id for message in self._question.messages] if over else []
        # Others must know that it is answered before they find nothing of it.
        if self._services.cluster is not None:
            self._services.cluster.journal.note_answered(ids)
        elif over:
            finishing = self._services.run_later(_note_answered(self._services, ids))
            await asyncio.wait({finishing}, timeout=PATIENCE)
        self._close()

    def _close(self) -> None:
        if self._current is not None:
            self._current.close()
            self._services.live_turns.discard(self._current.id)
