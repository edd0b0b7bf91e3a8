"""What is looked at before an answer: models, places, budgets and moderators; and how people are told."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import discord

from streamcord import Moderator, check_text
from streamcord.store import StoredPersona

from ..budget.budget import Budget
from ..budget.limits import BudgetRefusal, Payer
from ..config.bot_config import BotConfig
from ..i18n import translate
from ..ops.metrics import Metrics
from ..policy.access import DenialReason, Requester, ShownRefusals, is_open, requester_of
from ..policy.channel_config import ChannelConfig, place_of
from ..ui.notices import NoticeStyle, refusal_text, reply_privately, send_notice, turn_down
from .answer_journal import AnswerJournal

if TYPE_CHECKING:
    from ..messages.question import Question

__all__ = ["AnswerRefused", "RefusalNotifier", "asker_in", "check_answer", "is_adult", "is_adult_place"]

_log = logging.getLogger(__name__)


class AnswerRefused(Exception):
    """A question is not answered; `key` is the text that says why."""

    def __init__(self, key: str, visitor: Requester, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.visitor = visitor
        self.values = values


def asker_in(question: Question, channel: object) -> Requester:
    """Whoever asks, as the lists see them."""
    return requester_of(question.owner, question.messages[-1].roles, channel)


def check_answer(
    config: BotConfig, channel_config: ChannelConfig, visitor: Requester, channel: object
) -> None:
    """Raise `AnswerRefused` if no model is open, or if whoever speaks may not speak here."""
    models = config.models
    if models and not is_open(config.model(channel_config.model).allow, visitor):
        raise AnswerRefused(DenialReason.MODEL, visitor)
    if is_adult(config, channel_config.speaker) and not is_adult_place(channel):
        raise AnswerRefused("closed_persona", visitor, name=channel_config.persona.name)


def is_adult(config: BotConfig, speaker: StoredPersona) -> bool:
    """Whether a persona is for age-restricted channels: by the file, or by a tag of its card."""
    given = next((one for one in config.personas if one.name.casefold() == speaker.name.casefold()), None)
    return (given is not None and given.nsfw) or speaker.adult


def is_adult_place(channel: object) -> bool:
    """Whether a channel is age-restricted; direct messages are not."""
    asks = getattr(channel, "is_nsfw", None)
    return bool(asks and asks())


# --- Telling people --------------------------------------------------------------------------------------


class RefusalNotifier:
    """Turns questions down; an answer that broke off and may not go on is over then."""

    def __init__(
        self,
        budget: Budget,
        moderators: tuple[Moderator, ...],
        metrics: Metrics,
        shown: ShownRefusals,
        journal: AnswerJournal,
        style: NoticeStyle,
    ) -> None:
        self._budget = budget
        self._moderators = moderators
        self._metrics = metrics
        self._shown = shown
        self._journal = journal
        self._style = style

    async def is_over_budget(self, question: Question, channel: discord.abc.MessageableChannel) -> bool:
        """Whether nothing more may be asked for whoever pays for a question; they are told."""
        if question.journal is not None:
            # What was said before the break costs nothing; its rest is paid for when it is asked for.
            return False
        payer = Payer(question.payer, place_of(channel)[0].guild)
        refusal = await self._budget.check(payer)
        if refusal is not None:
            await self.refuse_for_costs(channel, question, refusal, begun=False)
        return refusal is not None

    async def is_held(self, question: Question, channel: discord.abc.MessageableChannel, text: str) -> bool:
        """Whether a moderator keeps a question from the model; people are told, the log gets the reason."""
        reason = await check_text(self._moderators, text, "question")
        if reason:
            _log.info("a question of person %s is held back: %s", question.owner, reason)
            locale = self._style.locale(getattr(channel, "guild", None))
            await self.notify(question, channel, translate(locale, "question_blocked"), begun=False)
            await self._journal.abandon(question)
        return bool(reason)

    async def refuse(
        self, refused: AnswerRefused, question: Question, channel: discord.abc.MessageableChannel
    ) -> None:
        """Say once why nobody answers; who used a command, or sees half an answer, is told each time."""
        always = question.reply or question.journal
        if always or self._shown.is_first(refused.key, refused.visitor):
            locale = self._style.locale(getattr(channel, "guild", None))
            text = translate(locale, refused.key, **refused.values)
            await self.notify(question, channel, text, begun=False)
        await self._journal.abandon(question)

    async def refuse_for_costs(
        self,
        channel: discord.abc.MessageableChannel,
        question: Question,
        refusal: BudgetRefusal,
        *,
        begun: bool = True,
        always: bool = False,
    ) -> None:
        """Tell a person that their question is not answered now, unless they know already."""
        self._metrics.record_refusal(refusal.reason)
        if question.reply or always or self._budget.should_notify(question.payer, refusal):
            locale = self._style.locale(getattr(channel, "guild", None))
            asked: Any = channel
            partial = None if question.reply else asked.get_partial_message(question.messages[-1].id)
            await self.notify(question, channel, refusal_text(locale, refusal), partial, begun=begun)

    async def notify(
        self,
        question: Question,
        channel: discord.abc.MessageableChannel,
        text: str,
        reply_to: discord.Message | discord.PartialMessage | None = None,
        *,
        begun: bool = True,
    ) -> None:
        """Tell people something about a question, where they asked it; `begun` if some words were said."""
        if question.reply is not None:
            await (reply_privately if begun else turn_down)(question.reply, text)
        else:
            await send_notice(channel, text, reply_to, self._style.look)
