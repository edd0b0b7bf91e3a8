"""Runs one answer: shows typing, asks the model, delivers, adds buttons, tells people what went wrong."""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from dataclasses import replace

import discord

from streamcord import (
    DeliveryError,
    Ending,
    FinishReason,
    RateLimited,
    Receipt,
    Stop,
    TurnResult,
    say,
)
from streamcord._shared.safety.secret_texts import SecretFilter
from streamcord.discord import DiscordChannel, DiscordInteraction
from streamcord.providers import user

from ..budget.budget import OverBudget
from ..budget.metered import MeteredProvider
from ..budget.spending_rules import show_money
from ..conversation.build_prompt import NUDGE
from ..conversation.channel_history import ChannelHistory
from ..conversation.channel_queue import AnswerKind, NotYet, Question
from ..durability.answer_record import AnswerRecord, let_go, take_question
from ..notices import (
    NO_PINGS,
    REQUEST_ERRORS,
    find_notice,
    reply_privately,
    translate,
)
from ..rights.answer_rights import AnswerRefused, Refuser
from ..services import Services
from .answer_plan import AnswerMemory, AnswerPlan, AnswerPlanner
from .answer_source import AnswerSource
from .builtin_tools import ToolProgress
from .buttons import AnswerButton, StopButton, make_buttons
from .recent_answers import RecentAnswer

__all__ = ["Answerer", "find_ending_notice", "log_ending"]


TYPING_SHOWN = 5.0
"""Seconds for which people need not be shown again that somebody is typing."""
TYPING_TIMEOUT = 2.0
KEEPING = 0.25
"""Seconds that the next question waits until this answer is remembered, at most."""
_UNTOLD = {Ending.STOPPED_BY_USER, Ending.FOLLOW_UP_INTERRUPT, Ending.CANCELLED}
_TOLD = {Ending.EMPTY_RESPONSE: "empty", Ending.TIMEOUT: "timeout", Ending.TRUNCATED: "truncated"}
_CUT = {FinishReason.LENGTH: "cut_length", FinishReason.FILTERED: "cut_filter"}

_log = logging.getLogger("streamcord.bot")


class Answerer:
    """Answers the questions that channel queues hand to it."""

    def __init__(self, services: Services, history: ChannelHistory) -> None:
        self._services = services
        self._refuser = Refuser(services)
        self._planner = AnswerPlanner(services, history)
        self._keeper = AnswerMemory(services, history)

    async def show(self, question: Question) -> None:
        """Show the typing indicator, so that people see at once that they were heard."""
        now = asyncio.get_running_loop().time()
        channel = self._find_channel(question)
        if channel is None or question.reply is not None or now - question.seen_at < TYPING_SHOWN:
            return
        question.seen_at = now
        # Not cancelled when it takes long: discord.py does not take that well while it waits for a limit.
        await asyncio.wait({self._services.run_later(_type(channel))}, timeout=TYPING_TIMEOUT)

    async def run(self, question: Question, stop: Stop) -> None:
        """Answer a question; an unexpected error is logged and told in the channel."""
        await self._run(question, stop)
        let_go(self._services, question)

    async def _run(self, question: Question, stop: Stop) -> None:
        channel = self._find_channel(question)
        if channel is None:
            return
        refuser = self._refuser
        if await refuser.is_over_budget(question, channel) or await refuser.is_held(
            question, channel, "\n".join(one.words for one in question.messages)
        ):
            return
        turn = secrets.token_hex(4)
        _log.info(
            "turn %s begins: channel %s, person %s, %s", turn, question.channel, question.owner, question.kind
        )
        try:
            plan, taken, _ = await asyncio.gather(
                self._planner.plan(turn, question, channel),
                take_question(self._services, question),
                self.show(question),
            )
            if not taken:
                _log.info("turn %s ends: another process has answered this", turn)
            elif not await refuser.is_held(question, channel, _new_words(plan)):
                await self._answer(plan, stop)
        except AnswerRefused as refused:
            await refuser.refuse(refused, question, channel)
        except NotYet as later:
            _log.info("turn %s waits: its person or server is answered elsewhere", turn)
            raise later from None
        except Exception:
            _log.exception("turn %s failed", turn)
            locale = self._services.locale(getattr(channel, "guild", None))
            await refuser.notify(question, channel, translate(locale, "failed", turn=turn))

    def _find_channel(self, question: Question) -> discord.abc.MessageableChannel | None:
        if question.reply is not None and isinstance(question.reply.channel, discord.abc.Messageable):
            return question.reply.channel
        channel = self._services.client.get_channel(question.channel)
        if channel is None and question.messages[-1].dm:
            # discord.py forgets direct messages that it was not asked to keep.
            return self._services.client.get_partial_messageable(question.channel)
        return channel if isinstance(channel, discord.abc.Messageable) else None

    # --- Speaking --------------------------------------------------------------------------------

    async def _answer(self, plan: AnswerPlan, stop: Stop) -> None:
        record = AnswerRecord(self._services, plan.question, plan.turn)
        hide = SecretFilter(plan.settings.secrets).hide
        mode = plan.channel_config.answer.progress
        progress = ToolProgress(plan.channel, plan.locale, mark=record.mark_line, hide=hide, mode=mode)
        row = StopButton(
            self._services.editor,
            plan.channel,
            AnswerButton("stop", plan.question.owner, plan.turn, plan.locale),
            mark=record.mark_button,
            last=self._usual_buttons(plan),
        )
        error: Exception | None = None
        source = AnswerSource(self._services, plan, self._keeper.tables_of)
        self._services.turns[plan.turn] = (plan.question.channel, stop.token)
        try:
            wanted = plan.channel_config.answer.buttons and plan.question.reply is None
            shown = row if wanted else None
            result = await self._speak(plan, stop, progress, shown, source, record)
        except Exception as raised:
            error, result = raised, getattr(raised, "result", None) or TurnResult(Ending.ERROR)
        finally:
            del self._services.turns[plan.turn]
            await progress.close()
        answered = self._note(plan, result)
        self._services.metrics.note(result, None if isinstance(error, OverBudget) else error)
        log_ending(plan.turn, result, error)
        if self._services.config.log.text:
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
        await self._show_cost(plan, source.provider)
        # The next question should know of it, but waits for no database.
        await asyncio.wait({self._services.run_later(self._keeper.keep(plan, result))}, timeout=KEEPING)
        await record.finish(result)

    async def _speak(
        self,
        plan: AnswerPlan,
        stop: Stop,
        progress: ToolProgress,
        row: StopButton | None,
        source: AnswerSource,
        record: AnswerRecord,
    ) -> TurnResult:
        """Ask the model and deliver its answer; an empty answer is asked for again."""
        prompt, dropped = plan.prompt, False

        def observe(event: object) -> None:
            nonlocal dropped
            if plan.question.reply is None:  # whoever used a command sees that it works
                progress.note(event)
            self._services.recent_answers.hear(plan.turn, event)
            if row is not None:
                row.note(event)
            if isinstance(event, Receipt) and plan.question.kind is AnswerKind.REGENERATE and not dropped:
                dropped = True
                self._services.run_later(
                    self._services.editor.delete_messages(plan.channel, plan.question.replaces)
                )

        tries = 1 + plan.channel_config.answer.empty_retries
        while True:
            tries -= 1
            transport = self._transport(plan, row)
            if row is not None:
                row.transport = transport
            journal = record.open()
            words, settings = source.begin(prompt, journal)
            result = await say(
                transport,
                words,
                settings=settings,
                stop=stop,
                observe=observe,
                moderators=self._services.moderators,
                journal=journal,
            )
            if record.is_stray:
                return replace(result, ending=Ending.TRUNCATED)
            if result.ending is not Ending.EMPTY_RESPONSE or not tries:
                return result
            _log.info("turn %s was empty and is tried again", plan.turn)
            prompt = plan.prompt + user(NUDGE)

    def _transport(self, plan: AnswerPlan, row: StopButton | None) -> DiscordChannel | DiscordInteraction:
        """Where the answer goes: into the channel, or to the command that asked for it."""
        question, webhooks = plan.question, self._services.webhooks
        table_view = make_buttons(AnswerButton("table", 0, "0", plan.locale))
        if question.reply is not None:
            return DiscordInteraction(
                question.reply,
                ephemeral=question.private,
                webhooks=None if question.private else webhooks,
                table_view=table_view,
            )
        last = plan.conversation.last_message if question.kind is not AnswerKind.CONTINUE else None
        view, last_view = (row.view, row.last_view) if row is not None else (None, None)
        return DiscordChannel(
            plan.channel,
            reply_to=last,
            webhooks=webhooks,
            view=view,
            last_view=last_view,
            table_view=table_view,
        )

    # --- Afterwards ------------------------------------------------------------------------------

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
        self._services.recent_answers.keep(answered)
        if result.receipts:
            self._planner.note_look(plan.question.channel, result.receipts[-1].message.speaker)
        return answered

    def _buttons(self, plan: AnswerPlan, answered: RecentAnswer) -> list[AnswerButton]:
        if (
            plan.question.reply
            or not plan.channel_config.answer.buttons
            or answered.result.ending is Ending.FOLLOW_UP_INTERRUPT
        ):
            return []
        return self._usual_buttons(plan)[: 2 if answered.can_go_on else 1]

    def _usual_buttons(self, plan: AnswerPlan) -> list[AnswerButton]:
        """What stands below an answer that ended well."""
        question = plan.question
        target = f"{question.messages[-1].id:x}"
        return [AnswerButton(action, question.owner, target, plan.locale) for action in ("again", "more")]

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
        if not key or result.ending in _UNTOLD:
            return
        wait = error.retry_after if isinstance(error, RateLimited) else None
        text = translate(plan.locale, key, turn=plan.turn, seconds=max(1, round(wait or 30)))
        if plan.question.reply is not None:
            await reply_privately(plan.question.reply, text)
        else:
            await record.tell(plan.channel, text, plan.conversation.last_message)

    async def _show_cost(self, plan: AnswerPlan, provider: MeteredProvider) -> None:
        """A small line of what the answer took, if that is wanted."""
        budget, spent = self._services.config.budget, provider.spent
        if not (budget.footer and spent.tokens) or plan.question.discarded:
            return
        cost = f" · {show_money(spent.money, budget.currency)}" if spent.money else ""
        text = f"-# {translate(plan.locale, 'footer', tokens=f'{spent.tokens:,}')}{cost}"
        with suppress(*REQUEST_ERRORS):
            await plan.channel.send(text, silent=True, allowed_mentions=NO_PINGS)


def _new_words(plan: AnswerPlan) -> str:
    """What the model reads of the question that nobody has looked at: its files, and words edited since."""
    asked = {message.id: message for message in plan.question.messages}
    texts: list[str] = []
    for one in plan.conversation.messages:
        if first := asked.get(one.id):
            texts += [file.text for file in one.files if file.text]
            texts += [one.words] if (one.text, one.parts) != (first.text, first.parts) else []
    return "\n".join(texts)


async def _type(channel: discord.abc.Messageable) -> None:
    try:
        await DiscordChannel(channel).typing()
    except DeliveryError as error:
        _log.debug("typing was refused: %s", type(error).__name__)


def find_ending_notice(result: TurnResult) -> str:
    """The key of the notice about how an answer ended; empty if it ended well."""
    if result.ending is Ending.COMPLETED and any(one.reason == "uncertain" for one in result.dropped):
        return "part_lost"
    if result.ending is Ending.COMPLETED and result.finish_reason is not None:
        return _CUT.get(result.finish_reason, "")
    return _TOLD.get(result.ending, "")


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
