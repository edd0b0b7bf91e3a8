"""Answers one question: checks it, plans the answer, and hands it to delivery."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import dataclass

import discord

from streamcord import DeliveryError, Stop
from streamcord.discord import DiscordChannel, find_block

from ..i18n import translate
from ..listening.channel_queue import Deferred
from ..messages.question import Question
from ..policy.write_access import WriteAccess
from ..state import BotState
from ..ui.notices import NoticeStyle
from .answer_checks import AnswerRefused, RefusalNotifier
from .answer_journal import AnswerJournal
from .answer_plan import AnswerPlan, AnswerPlanner
from .delivery import AnswerDelivery
from .reactions import WAITING, Reactions
from .tool_asks import AnswerAsks

TYPING_SHOWN_S = 5.0
"""Discord shows the typing indicator for about ten seconds, so it is not requested again before this."""
TYPING_TIMEOUT_S = 2.0
MAX_BLOCK_WAIT_S = 900.0
"""A question waits this long for Discord to accept requests again; interaction tokens live as long."""

CLOCK_ERROR_S = 2.0
"""How far the time in a message's id may be from our clock, which follows Discord's by whole seconds."""

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Answerer:
    """Answers the questions that channel queues hand to it."""

    client: discord.Client
    state: BotState
    refusal_notifier: RefusalNotifier
    planner: AnswerPlanner
    journal: AnswerJournal
    delivery: AnswerDelivery
    style: NoticeStyle
    write_access: WriteAccess
    asks: AnswerAsks
    reactions: Reactions

    async def show(self, question: Question) -> None:
        """Show the typing indicator, so that people see at once that the bot is going to answer."""
        now = asyncio.get_running_loop().time()
        channel = self._find_channel(question)
        if channel is None or question.open_reply is not None or now - question.seen_at < TYPING_SHOWN_S:
            return
        if self.write_access.find_obstacle(channel):
            return
        question.seen_at = now
        # Not cancelled on timeout: discord.py breaks its rate limit locks when a waiting request is cancelled.
        await asyncio.wait({self.state.run_later(self._type(channel))}, timeout=TYPING_TIMEOUT_S)

    async def run(self, question: Question, stop: Stop) -> None:
        """Answer a question; an unexpected error is logged and a notice is sent to the channel."""
        # Its turn has come.
        self.reactions.remove(question.ids, WAITING)
        await self._run(question, stop)
        self.reactions.remove(question.ids)
        self.journal.release(question)

    async def _run(self, question: Question, stop: Stop) -> None:
        channel = self._find_channel(question)
        if channel is None or not self._may_answer(question, channel):
            self.journal.keep(question)
            return
        await _wait_for_requests(channel)
        turn = secrets.token_hex(4)
        try:
            plan = await self._start(turn, question, channel)
            if plan is not None:
                await self.delivery.deliver(plan, stop)
        except AnswerRefused as refused:
            await self.refusal_notifier.refuse(refused, question, channel)
        except Deferred as later:
            _log.info("turn %s waits: the user or server has too many answers in other processes", turn)
            raise later from None
        except Exception:
            _log.exception("turn %s failed before or after its delivery, notifying the user", turn)
            locale = self.style.locale(getattr(channel, "guild", None))
            await self.refusal_notifier.notify(question, channel, translate(locale, "failed", turn=turn))

    async def _start(
        self, turn: str, question: Question, channel: discord.abc.MessageableChannel
    ) -> AnswerPlan | None:
        """Return the plan of an answer; `None` if it is refused or another process has answered the question."""
        notifier = self.refusal_notifier
        if await notifier.is_over_budget(question, channel) or await notifier.is_blocked(
            question, channel, "\n".join(one.words for one in question.messages)
        ):
            return None
        _log.info(
            "turn %s begins: channel %s, person %s, %s", turn, question.channel, question.owner, question.kind
        )
        # Reading the channel, claiming the question and typing are independent requests.
        plan, taken, _ = await asyncio.gather(
            self.planner.plan(turn, question, channel),
            self.journal.claim(question),
            self.show(question),
        )
        if not taken:
            _log.info("turn %s ends: another process has answered this", turn)
            return None
        if question.ask and not await self.asks.claim(question):
            _log.info("turn %s ends: another process continues with this decision", turn)
            return None
        persona = plan.channel_config.persona
        if not self._may_answer(question, channel, by_webhook=persona.alter):
            # Kept if a permission was taken since it was asked; a persona that never may write here is not waited
            # for.
            asked_at = discord.utils.snowflake_time(question.messages[-1].id).timestamp()
            if question.is_resumed or self.write_access.has_changed(channel, asked_at - CLOCK_ERROR_S):
                self.journal.keep(question)
            return None
        # Files were read while planning, so moderators see their text only now.
        return None if await notifier.is_blocked(question, channel, _new_words(plan)) else plan

    def _may_answer(
        self, question: Question, channel: discord.abc.MessageableChannel, *, by_webhook: bool = True
    ) -> bool:
        """Return whether the bot may write the answer; the reply to a command needs no permission."""
        return question.open_reply is not None or self.write_access.is_open(channel, by_webhook=by_webhook)

    async def _type(self, channel: discord.abc.Messageable) -> None:
        try:
            await DiscordChannel(channel).typing()
        except DeliveryError as error:
            _log.debug("sending the typing indicator failed, continuing: %s", type(error).__name__)

    def _find_channel(self, question: Question) -> discord.abc.MessageableChannel | None:
        if question.reply is not None and isinstance(question.reply.channel, discord.abc.Messageable):
            return question.reply.channel
        channel = self.client.get_channel(question.channel)
        if channel is None and question.messages[-1].dm:
            # discord.py forgets direct messages that it was not asked to keep.
            return self.client.get_partial_messageable(question.channel)
        return channel if isinstance(channel, discord.abc.Messageable) else None


def _new_words(plan: AnswerPlan) -> str:
    """Return text of the question that no moderator has checked: its files, and edits since it arrived."""
    asked = {message.id: message for message in plan.question.messages}
    texts: list[str] = []
    for one in plan.conversation.messages:
        if first := asked.get(one.id):
            texts += [file.text for file in one.files if file.text]
            texts += [one.words] if (one.text, one.parts) != (first.text, first.parts) else []
    return "\n".join(texts)


async def _wait_for_requests(channel: discord.abc.Messageable) -> None:
    """Keep a question while Discord accepts no requests, such as for the minutes of a Cloudflare ban."""
    # A longer block is not waited for: the journal or the search for missed messages brings the question back.
    while (block := find_block(channel)) is not None and block.seconds <= MAX_BLOCK_WAIT_S:
        where = getattr(channel, "id", 0)
        _log.info(
            "channel %s: waiting %.0f s with a question, Discord accepts no requests: %s",
            where,
            block.seconds,
            block.reason,
        )
        await asyncio.sleep(block.seconds)
