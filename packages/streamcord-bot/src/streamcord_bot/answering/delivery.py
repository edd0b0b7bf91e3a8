"""Deliver one answer: ask the model, send its text to the channel or command, and show a stop button."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial

from streamcord import Ending, Moderator, NotAllowed, Receipt, Stop, TurnResult, say
from streamcord.discord import DiscordChannel, DiscordInteraction, ReplacingChannel, WebhookSender
from streamcord.providers import user
from streamcord.utils import SecretFilter

from ..messages.question import AnswerKind
from ..policy.write_access import WriteAccess
from ..prompt.prompt_builder import RETRY_INSTRUCTION
from ..state import BotState
from ..ui.buttons import AnswerButton, StopButton, make_buttons
from ..ui.message_editor import MessageEditor
from .answer_ending import AnswerFinisher, usual_buttons
from .answer_journal import AnswerJournal, AnswerRecord
from .answer_memory import AnswerMemory
from .answer_plan import AnswerPlan
from .answer_source import AnswerSource, AnswerSources
from .recent_answers import RecentAnswers
from .tool_asks import AnswerAsks
from .tool_progress import ToolProgress

# Answers that follow a message of their own, instead of replying to the question again.
_FOLLOWS = frozenset({AnswerKind.CONTINUE, AnswerKind.DECIDED})

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class AnswerDelivery:
    """Delivers answers that were planned."""

    sources: AnswerSources
    sender: AnswerSender
    finisher: AnswerFinisher
    journal: AnswerJournal
    editor: MessageEditor
    state: BotState
    write_access: WriteAccess

    async def deliver(self, plan: AnswerPlan, stop: Stop) -> None:
        """Ask the model, deliver its answer and finish the turn, however it ends."""
        await self.finisher.find_variants(plan.question)
        plan = await self.sources.follow_ups.add_steered(plan)
        record = self.journal.record(plan.question, plan.turn)
        hide = SecretFilter(plan.settings.secrets).hide
        mode = plan.channel_config.answer.progress
        progress = ToolProgress(plan.channel, plan.locale, mark=record.mark_line, hide=hide, mode=mode)
        row = StopButton(
            self.editor,
            plan.channel,
            AnswerButton("stop", plan.question.owner, plan.turn, plan.locale),
            mark=record.mark_button,
            last=usual_buttons(plan),
        )
        # However the answer ends, `finish` below must run: it removes the stop button and closes the journal.
        error: Exception | None = None
        source = self.sources.open(plan, self.finisher.tables_of)
        try:
            wanted = plan.channel_config.answer.buttons and plan.question.reply is None
            shown = row if wanted else None
            with self.state.running(plan.turn, plan.question.channel, stop.token):
                result = await self.sender.send(plan, stop, progress, shown, source, record)
        except Exception as raised:
            # Errors of `say` carry the result of what was delivered before them.
            error, result = raised, getattr(raised, "result", None) or TurnResult(Ending.ERROR)
            if isinstance(raised, NotAllowed) and plan.question.open_reply is None:
                self.write_access.record_refusal(plan.channel)
        finally:
            await progress.close()
            if progress.left:
                record.retry_later(partial(self._delete, plan, progress.left))
        if source.provider.is_generating and not record.is_left:
            # Stopped answers must not be generated, and paid for, to their end.
            self.state.run_later(source.provider.cancel())
        await self.finisher.finish(plan, result, error, row, record, source.provider)

    async def _delete(self, plan: AnswerPlan, ids: list[int]) -> bool:
        """Delete messages; false if it must be tried again."""
        return (await self.editor.delete_messages(plan.channel, ids)).is_final


@dataclass(eq=False, repr=False)
class AnswerSender:
    """Sends the text of a model to Discord."""

    webhooks: WebhookSender
    moderators: tuple[Moderator, ...]
    recent_answers: RecentAnswers
    editor: MessageEditor
    state: BotState
    memory: AnswerMemory
    asks: AnswerAsks

    async def send(
        self,
        plan: AnswerPlan,
        stop: Stop,
        progress: ToolProgress,
        row: StopButton | None,
        source: AnswerSource,
        record: AnswerRecord,
    ) -> TurnResult:
        """Ask the model and deliver its answer; an empty answer is asked for again."""
        prompt, question = plan.prompt, plan.question
        # An interrupted answer may have taken the place of the old one already: its messages are known at the end.
        replaces = question.kind is AnswerKind.REGENERATE and not question.is_resumed
        sent: set[int] = set()

        def observe(event: object) -> None:
            nonlocal replaces
            source.on_event(event)
            if plan.question.open_reply is None:  # Discord shows the progress of a command by itself
                progress.on_event(event)
            self.recent_answers.record_event(plan.turn, event)
            if row is not None:
                row.on_event(event)
            self.asks.on_event(event)
            if isinstance(event, Receipt) and event.message.speaker and event.message.speaker.label:
                self.state.run_later(self.memory.store_label(event))
            if isinstance(event, Receipt):
                sent.add(event.id)
                # The new answer has messages of its own, so the rest of the old one is not needed.
                if replaces and event.id not in question.replaces:
                    replaces = False
                    self._delete_replaced(plan, sent)

        # Each attempt has its own transport and journal: they track the messages of one attempt.
        attempts = 1 + plan.channel_config.answer.empty_retries
        await source.prepare()
        while True:
            attempts -= 1
            transport = self._transport(plan, row)
            if row is not None:
                row.transport = transport
            journal = record.open()
            words, settings, context = source.begin(prompt, journal)
            result = await say(
                transport,
                words,
                settings=settings,
                context=context,
                stop=stop,
                observe=observe,
                moderators=self.moderators,
                journal=journal,
            )
            # Continuing could repeat text that is already in the channel.
            if result.receipts:
                self._delete_replaced(plan, {one.id for one in result.receipts})
            if record.is_stray:
                return replace(result, ending=Ending.TRUNCATED)
            if result.ending is not Ending.EMPTY_RESPONSE or not attempts:
                return result
            _log.info("turn %s: the answer was empty, asking again", plan.turn)
            prompt = plan.prompt + user(RETRY_INSTRUCTION)

    def _delete_replaced(self, plan: AnswerPlan, sent: set[int]) -> None:
        """Delete the messages of a replaced answer that are no messages of the new one."""
        unused = {*plan.question.replaces} - sent
        if plan.question.kind is AnswerKind.REGENERATE and unused:
            self.state.run_later(self.editor.delete_messages(plan.channel, sorted(unused)))

    def _transport(self, plan: AnswerPlan, row: StopButton | None) -> DiscordChannel | DiscordInteraction:
        """Return the transport of the answer: the channel, or the reply to the command."""
        question, webhooks = plan.question, self.webhooks
        table_view = make_buttons(AnswerButton("table", 0, "0", plan.locale))
        if question.open_reply is not None:
            # Webhook messages are visible to all, so a private answer does not use them.
            return DiscordInteraction(
                question.open_reply,
                ephemeral=question.private,
                webhooks=None if question.private else webhooks,
                table_view=table_view,
            )
        # A continued answer follows its own last message, so it does not reply to the question again.
        last = plan.conversation.last_message if question.kind not in _FOLLOWS else None
        view, last_view = (row.view, row.last_view) if row is not None else (None, None)
        transport = ReplacingChannel(
            plan.channel,
            # An interrupted answer does not know which of them it has edited.
            replaced=question.earlier if not question.is_resumed else (),
            reply_to=last,
            webhooks=webhooks,
            view=view,
            last_view=last_view,
            table_view=table_view,
        )
        # A question that waited is older than answers that were sent meanwhile. A process that resumes this one must
        # not take them for a part of it.
        newest = max(
            self.recent_answers.last_in(question.channel, question.owner),
            getattr(plan.channel, "last_message_id", None) or 0,
            *(one.id for one in plan.conversation.messages if one.own),
        )
        # A resumed answer looks for its own messages that a dead process could not record.
        if newest and not question.is_resumed:
            transport.mark_confirmed(newest)
        return transport
