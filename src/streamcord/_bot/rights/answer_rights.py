"""What is looked at before an answer: models, places, budgets and moderators; and how people are told."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import discord

from streamcord import check_text
from streamcord.store import StoredPersona

from ..budget.spending_rules import BudgetRefusal, Payer
from ..config import BotConfig
from ..conversation.channel_config import ChannelConfig, place_of
from ..durability.answer_record import give_up
from ..notices import refusal_text, reply_privately, send_notice, translate, turn_down
from .access import ClosedTo, Visitor, is_open, visitor_of

if TYPE_CHECKING:
    from ..conversation.channel_queue import Question
    from ..services import Services

__all__ = ["AnswerRefused", "Refuser", "asker_in", "check_answer", "is_adult", "is_adult_place"]

_log = logging.getLogger("streamcord.bot")


class AnswerRefused(Exception):
    """A question is not answered; `key` is the text that says why."""

    def __init__(self, key: str, visitor: Visitor, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.visitor = visitor
        self.values = values


def asker_in(question: Question, channel: object) -> Visitor:
    """Whoever asks, as the lists see them."""
    return visitor_of(question.owner, question.messages[-1].roles, channel)


def check_answer(config: BotConfig, channel_config: ChannelConfig, visitor: Visitor, channel: object) -> None:
    """Raise `AnswerRefused` if no model is open, or if whoever speaks may not speak here."""
    models = config.models
    if models and not is_open(config.model(channel_config.model).open_to, visitor):
        raise AnswerRefused(ClosedTo.MODEL, visitor)
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


class Refuser:
    """Turns questions down; an answer that broke off and may not go on is over then."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def is_over_budget(self, question: Question, channel: discord.abc.MessageableChannel) -> bool:
        """Whether nothing more may be asked for whoever pays for a question; they are told."""
        if question.journal is not None:
            # What was said before the break costs nothing; its rest is paid for when it is asked for.
            return False
        payer = Payer(question.payer, place_of(channel)[0].guild)
        refusal = await self._services.budget.check(payer)
        if refusal is not None:
            await self.refuse_for_costs(channel, question, refusal, begun=False)
        return refusal is not None

    async def is_held(self, question: Question, channel: discord.abc.MessageableChannel, text: str) -> bool:
        """Whether a moderator keeps a question from the model; people are told, the log gets the reason."""
        reason = await check_text(self._services.moderators, text, "question")
        if reason:
            _log.info("a question of person %s is held back: %s", question.owner, reason)
            locale = self._services.locale(getattr(channel, "guild", None))
            await self.notify(question, channel, translate(locale, "question_held"), begun=False)
            await give_up(self._services, question)
        return bool(reason)

    async def refuse(
        self, refused: AnswerRefused, question: Question, channel: discord.abc.MessageableChannel
    ) -> None:
        """Say once why nobody answers; who used a command, or sees half an answer, is told each time."""
        always = question.reply or question.journal
        if always or self._services.refusals.is_first(refused.key, refused.visitor):
            locale = self._services.locale(getattr(channel, "guild", None))
            text = translate(locale, refused.key, **refused.values)
            await self.notify(question, channel, text, begun=False)
        await give_up(self._services, question)

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
        self._services.metrics.note_refusal(refusal.reason)
        if question.reply or always or self._services.budget.should_tell(question.payer, refusal):
            locale = self._services.locale(getattr(channel, "guild", None))
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
            await send_notice(channel, text, reply_to, self._services.notice_look)
