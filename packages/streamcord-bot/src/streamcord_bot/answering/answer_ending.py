"""End one answer: remember it for later questions, add buttons, and send a notice if something went wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from streamcord import DeliveryError, Ending, FinishReason, RateLimited, Receipt, TurnResult

from ..budget.budget import OverBudget
from ..budget.metered_provider import MeteredProvider
from ..budget.pricing import show_money
from ..config import BotConfig
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question
from ..ops.metrics import Metrics
from ..policy.channel_config import ChannelConfig
from ..state import BotState
from ..ui.buttons import AnyButton, StopButton, answer_buttons
from ..ui.newest_buttons import NewestButtons
from ..ui.notices import notice_key, reply_privately
from .answer_checks import RefusalNotifier
from .answer_journal import AnswerRecord
from .answer_memory import MAX_VARIANTS, AnswerMemory
from .answer_plan import AnswerPlan
from .recent_answers import RecentAnswer, RecentAnswers

BUTTONS_TIMEOUT_S = 2.0
"""The next question does not wait longer for the buttons of this answer."""
MEMORY_TIMEOUT_S = 0.25
"""The next question does not wait longer until this answer is remembered."""
_WHOLE_ENDINGS = {Ending.COMPLETED, Ending.REFUSED}
_SILENT_ENDINGS = {Ending.STOPPED_BY_USER, Ending.FOLLOW_UP_INTERRUPT, Ending.CANCELLED}
_ENDING_NOTICES = {Ending.EMPTY_RESPONSE: "empty", Ending.TIMEOUT: "timeout", Ending.TRUNCATED: "truncated"}
_TRUNCATION_NOTICES = {
    FinishReason.LENGTH: "cut_length",
    FinishReason.FILTERED: "cut_filter",
    FinishReason.PAUSED: "cut_pause",
}

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class AnswerFinisher:
    """Finishes an answer after its last message."""

    config: BotConfig
    metrics: Metrics
    recent_answers: RecentAnswers
    memory: AnswerMemory
    refusal_notifier: RefusalNotifier
    state: BotState
    newest_buttons: NewestButtons
    # Called with the channel and the receipt of the answer's last message.
    record_last_message: Callable[[int, Receipt], None]

    # Called with the question, what was said and the configuration, after a complete answer that all may read.
    on_answer: Callable[[Question, ChatMessage, ChannelConfig], None] = field(
        default_factory=lambda: lambda *_: None, init=False
    )

    def tables_of(self, channel: int) -> list[str]:
        """Return the sources of the tables that were shown in a channel, the newest last."""
        return self.memory.tables_of(channel)

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
        answered = self._remember(plan, result)
        self.metrics.record_turn(result, None if isinstance(error, OverBudget) else error)
        # An exhausted budget is not an error of the model, so metrics do not count it as one.
        log_ending(plan.turn, result, error, self._describe_use(plan, provider))
        if self.config.log.text:
            _log.info("turn %s said: %r", plan.turn, result.text)
            if result.other_speaker:
                _log.info("turn %s: the speaker guard stopped at %r", plan.turn, result.other_speaker)
        if record.is_left:
            # Another process resumes it, so there is no notice and no final button.
            await row.finish()
            await record.finish(result)
            return
        await self._finish_buttons(
            partial(row.finish, *(self._buttons(plan, answered) if not plan.question.discarded else ())),
            record,
        )
        if answered.ids and plan.question.reply is None:
            # In the place of an earlier answer, its buttons were pressed before.
            self.state.handled_button_messages.release(answered.ids[-1])
            self.state.run_later(self.newest_buttons.remove_older(plan.channel, answered.ids))
        elif plan.question.kind is AnswerKind.REGENERATE and not answered.ids:
            # The earlier answer is as it was.
            self.state.handled_button_messages.release(max(plan.question.replaces, default=0))
        await self._notify(plan, result, error, record)
        # Memories, tables, thoughts and costs are read by everybody in the channel, so a private answer leaves none.
        if not plan.question.private:
            await self._show_cost(plan, provider)
            # The next question should find this answer in memory, but does not wait for a slow database.
            keeping = self.state.run_later(self.memory.keep(plan, result))
            await asyncio.wait({keeping}, timeout=MEMORY_TIMEOUT_S)
        await record.finish(result)
        if said := _said(plan, result):
            self.on_answer(plan.question, said, plan.channel_config)

    async def _finish_buttons(
        self, finish: Callable[[], Coroutine[Any, Any, bool]], record: AnswerRecord
    ) -> None:
        """Replace the stop button; what takes long, or must be tried again, continues in the background."""
        first = self.state.run_later(finish())
        await asyncio.wait({first}, timeout=BUTTONS_TIMEOUT_S)
        if not first.done() or not first.result():

            async def try_again() -> bool:
                return await asyncio.shield(first) or await finish()

            record.retry_later(try_again)

    def _describe_use(self, plan: AnswerPlan, provider: MeteredProvider) -> str:
        """Return who answered, and what it cost in tokens, money and time, for the log."""
        spent, since = provider.spent, plan.question.since
        words = (
            f"persona {plan.channel_config.persona.name!r}, model {provider.model!r}, "
            f"tokens {spent.tokens}, cost {show_money(spent.money, self.config.budget.currency)}"
        )
        # From the arrival of the question on, so with the time that it waited.
        return words if since is None else f"{words}, took {asyncio.get_running_loop().time() - since:.2f} s"

    def _remember(self, plan: AnswerPlan, result: TurnResult) -> RecentAnswer:
        asked = tuple(message.id for message in plan.question.messages)
        answered = RecentAnswer(
            plan.turn,
            plan.question.channel,
            plan.question.owner,
            asked,
            plan.channel_config.model,
            plan.settings,
            result,
            plan.question.private,
            plan.question.persona,
            tuple(plan.question.steered),
        )
        self.recent_answers.keep(answered)
        # Remember the last message, so that an answer that directly follows knows its appearance. A private one
        # is not in the channel that others see.
        if result.receipts and not plan.question.private:
            self.record_last_message(plan.question.channel, result.receipts[-1])
        return answered

    def _buttons(self, plan: AnswerPlan, answered: RecentAnswer) -> list[AnyButton]:
        if (
            plan.question.reply
            or not plan.channel_config.answer.buttons
            or answered.result.ending is Ending.FOLLOW_UP_INTERRUPT
            # The buttons of a question are below the answer already.
            or any(one.message.ask for one in answered.result.receipts)
        ):
            return []
        # Replies to commands have no buttons, and an answer that cannot be continued has no second one.
        return usual_buttons(plan)[: None if answered.can_continue else -1]

    async def find_variants(self, question: Question) -> None:
        """Find the texts that an answer had before *Again*."""
        if question.kind is AnswerKind.REGENERATE:
            question.variants = await self.memory.find_variants(question.replaces)

    async def _notify(
        self, plan: AnswerPlan, result: TurnResult, error: Exception | None, record: AnswerRecord
    ) -> None:
        """Send a notice about an error or an unusual ending; a stop needs none."""
        if isinstance(error, OverBudget):
            # A person who sees half an answer gets the reason, even if they got it before.
            always, asked = bool(result.receipts), plan.question
            await self.refusal_notifier.refuse_for_costs(plan.channel, asked, error.refusal, always=always)
            return
        key = notice_key(error) if error is not None else ending_notice_key(result)
        if not key or result.ending in _SILENT_ENDINGS:
            return
        wait = error.retry_after if isinstance(error, RateLimited) else None
        text = translate(plan.locale, key, turn=plan.turn, seconds=max(1, round(wait or 30)))
        if plan.question.open_reply is not None:
            await reply_privately(plan.question.open_reply, text)
        else:
            await record.notify(plan.channel, text, plan.conversation.last_message)

    async def _show_cost(self, plan: AnswerPlan, provider: MeteredProvider) -> None:
        """Send a small line with the tokens and the cost of the answer, if configured."""
        budget, spent = self.config.budget, provider.spent
        if not (budget.footer and spent.tokens) or plan.question.discarded:
            return
        cost = f" · {show_money(spent.money, budget.currency)}" if spent.money else ""
        text = f"-# {translate(plan.locale, 'footer', tokens=f'{spent.tokens:,}')}{cost}"
        with suppress(*REQUEST_ERRORS):
            await plan.channel.send(text, silent=True, allowed_mentions=NO_PINGS)


def _said(plan: AnswerPlan, result: TurnResult) -> ChatMessage | None:
    """Return a complete answer as a message of the channel; `None` if others cannot react to it."""
    question, receipts = plan.question, [one for one in result.receipts if one.id]
    is_public = question.reply is None and not question.discarded
    if result.ending not in _WHOLE_ENDINGS or not receipts or not is_public:
        return None
    # It keeps the permissions of the person who asked: they pay if another persona answers it.
    return replace(
        question.messages[-1],
        id=receipts[-1].id,
        name=plan.channel_config.persona.name,
        text="\n".join(one.message.content for one in receipts),
        own=True,
        images=(),
        files=(),
        parts=(),
        reply_to=0,
    )


def usual_buttons(plan: AnswerPlan) -> list[AnyButton]:
    """Return the buttons below an answer that ended well."""
    question = plan.question
    count = min(MAX_VARIANTS, len(question.variants) + 1)
    return answer_buttons(question.owner, f"{question.messages[-1].id:x}", plan.locale, count, count)


def ending_notice_key(result: TurnResult) -> str:
    """Return the locale key of the notice about an ending; empty if the answer ended well."""
    if result.ending in _WHOLE_ENDINGS and any(one.reason == "uncertain" for one in result.dropped):
        return "part_lost"
    if result.ending in _WHOLE_ENDINGS and result.finish_reason is not None:
        return _TRUNCATION_NOTICES.get(result.finish_reason, "")
    return _ENDING_NOTICES.get(result.ending, "")


def log_ending(turn: str, result: TurnResult, error: Exception | None, use: str) -> None:
    """Log the ending of an answer in names and numbers; text of users and models is not logged."""
    counts = result.counts
    _log.info(
        "turn %s ended: %s, messages %d, characters %d of %d, first message %s, %s%s",
        turn,
        error if isinstance(error, OverBudget) else result.ending,
        counts.messages,
        counts.shown,
        counts.received,
        "never" if counts.first_message is None else f"after {counts.first_message:.2f} s",
        use,
        f", was cut off and continued {len(result.seams)} times" if result.seams else "",
    )
    if error is None or isinstance(error, OverBudget):  # a flood of questions must not fill the log
        return
    if notice_key(error) == "failed" and not isinstance(error, DeliveryError):
        _log.error("turn %s was interrupted by an unexpected error", turn, exc_info=error)
    else:
        tried = f" (asked {', then '.join(result.attempts)})" if result.attempts else ""
        _log.warning("turn %s: %s: %s%s", turn, type(error).__name__, error, tried)
