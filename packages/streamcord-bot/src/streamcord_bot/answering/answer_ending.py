"""Ends one answer: keeps it for later questions, adds buttons, and tells people what went wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from streamcord import DeliveryError, Ending, FinishReason, RateLimited, Speaker, TurnResult

from ..budget.budget import OverBudget
from ..budget.limits import show_money
from ..budget.metered_provider import MeteredProvider
from ..config.bot_config import BotConfig
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..ops.metrics import Metrics
from ..state import BotState
from ..ui.buttons import AnswerButton, StopButton
from ..ui.notices import find_notice, reply_privately
from .answer_checks import RefusalNotifier
from .answer_journal import AnswerRecord
from .answer_plan import AnswerMemory, AnswerPlan
from .recent_answers import RecentAnswer, RecentAnswers

__all__ = ["AnswerFinisher", "find_ending_notice", "log_ending", "usual_buttons"]

MEMORY_TIMEOUT_S = 0.25
"""The next question does not wait longer until this answer is remembered."""
_SILENT_ENDINGS = {Ending.STOPPED_BY_USER, Ending.FOLLOW_UP_INTERRUPT, Ending.CANCELLED}
_ENDING_NOTICES = {Ending.EMPTY_RESPONSE: "empty", Ending.TIMEOUT: "timeout", Ending.TRUNCATED: "truncated"}
_TRUNCATION_NOTICES = {FinishReason.LENGTH: "cut_length", FinishReason.FILTERED: "cut_filter"}

_log = logging.getLogger(__name__)


class AnswerFinisher:
    """Does what is left after the last message of an answer."""

    def __init__(
        self,
        config: BotConfig,
        metrics: Metrics,
        recent_answers: RecentAnswers,
        memory: AnswerMemory,
        refuser: RefusalNotifier,
        state: BotState,
        note_speaker: Callable[[int, Speaker | None], None],
    ) -> None:
        self._config = config
        self._metrics = metrics
        self._recent_answers = recent_answers
        self._memory = memory
        self._refuser = refuser
        self._state = state
        # Called with the channel and the speaker of its last message.
        self._note_speaker = note_speaker

    def tables_of(self, channel: int) -> list[str]:
        """Return the sources of the tables that were shown in a channel, the newest last."""
        return self._memory.tables_of(channel)

    async def finish(
        self,
        plan: AnswerPlan,
        result: TurnResult,
        error: Exception | None,
        row: StopButton,
        record: AnswerRecord,
        provider: MeteredProvider,
    ) -> None:
        """Finish an answer that ended with this result, and with this error if there was one."""
        answered = self._note(plan, result)
        self._metrics.record_turn(result, None if isinstance(error, OverBudget) else error)
        log_ending(plan.turn, result, error)
        if self._config.log.text:
            _log.info("turn %s said: %r", plan.turn, result.text)
            if result.other_speaker:
                _log.info("turn %s: the speaker guard heard %r", plan.turn, result.other_speaker)
        if record.is_left:
            # Somebody goes on with it: nothing is told, and nothing is over.
            await row.finish()
            await record.finish(result)
            return
        await row.finish(*(self._buttons(plan, answered) if not plan.question.discarded else ()))
        await self._tell(plan, result, error, record)
        await self._show_cost(plan, provider)
        # The next question should know of it, but waits for no database.
        await asyncio.wait({self._state.run_later(self._memory.keep(plan, result))}, timeout=MEMORY_TIMEOUT_S)
        await record.finish(result)

    def _note(self, plan: AnswerPlan, result: TurnResult) -> RecentAnswer:
        asked = tuple(message.id for message in plan.question.messages)
        answered = RecentAnswer(
            plan.turn,
            plan.question.channel,
            plan.question.owner,
            asked,
            plan.channel_config.model,
            plan.settings,
            result,
        )
        self._recent_answers.keep(answered)
        if result.receipts:
            self._note_speaker(plan.question.channel, result.receipts[-1].message.speaker)
        return answered

    def _buttons(self, plan: AnswerPlan, answered: RecentAnswer) -> list[AnswerButton]:
        if (
            plan.question.reply
            or not plan.channel_config.answer.buttons
            or answered.result.ending is Ending.FOLLOW_UP_INTERRUPT
        ):
            return []
        return usual_buttons(plan)[: 2 if answered.can_go_on else 1]

    async def _tell(
        self, plan: AnswerPlan, result: TurnResult, error: Exception | None, record: AnswerRecord
    ) -> None:
        """Tell people what they must know; a stop needs no words."""
        if isinstance(error, OverBudget):
            # Who sees half an answer must know why, however often they were told.
            always, asked = bool(result.receipts), plan.question
            await self._refuser.refuse_for_costs(plan.channel, asked, error.refusal, always=always)
            return
        key = find_notice(error) if error is not None else find_ending_notice(result)
        if not key or result.ending in _SILENT_ENDINGS:
            return
        wait = error.retry_after if isinstance(error, RateLimited) else None
        text = translate(plan.locale, key, turn=plan.turn, seconds=max(1, round(wait or 30)))
        if plan.question.reply is not None:
            await reply_privately(plan.question.reply, text)
        else:
            await record.tell(plan.channel, text, plan.conversation.last_message)

    async def _show_cost(self, plan: AnswerPlan, provider: MeteredProvider) -> None:
        """A small line of what the answer took, if that is wanted."""
        budget, spent = self._config.budget, provider.spent
        if not (budget.footer and spent.tokens) or plan.question.discarded:
            return
        cost = f" · {show_money(spent.money, budget.currency)}" if spent.money else ""
        text = f"-# {translate(plan.locale, 'footer', tokens=f'{spent.tokens:,}')}{cost}"
        with suppress(*REQUEST_ERRORS):
            await plan.channel.send(text, silent=True, allowed_mentions=NO_PINGS)


def usual_buttons(plan: AnswerPlan) -> list[AnswerButton]:
    """Return the buttons below an answer that ended well."""
    question = plan.question
    target = f"{question.messages[-1].id:x}"
    return [AnswerButton(action, question.owner, target, plan.locale) for action in ("again", "more")]


def find_ending_notice(result: TurnResult) -> str:
    """The key of the notice about how an answer ended; empty if it ended well."""
    if result.ending is Ending.COMPLETED and any(one.reason == "uncertain" for one in result.dropped):
        return "part_lost"
    if result.ending is Ending.COMPLETED and result.finish_reason is not None:
        return _TRUNCATION_NOTICES.get(result.finish_reason, "")
    return _ENDING_NOTICES.get(result.ending, "")


def log_ending(turn: str, result: TurnResult, error: Exception | None) -> None:
    """Log how the answer went, in numbers only: words of people and models do not belong into logs."""
    counts = result.counts
    _log.info(
        "turn %s ended: %s, messages %d, characters %d of %d, first message %s",
        turn,
        error if isinstance(error, OverBudget) else result.ending,
        counts.messages,
        counts.shown,
        counts.received,
        "never" if counts.first_message is None else f"after {counts.first_message:.2f} s",
    )
    if error is None or isinstance(error, OverBudget):  # who floods must not fill the log
        return
    if find_notice(error) == "failed" and not isinstance(error, DeliveryError):
        _log.error("turn %s failed", turn, exc_info=error)
    else:
        _log.warning("turn %s: %s: %s", turn, type(error).__name__, error)
