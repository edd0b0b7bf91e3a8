"""Check models, places, budgets and moderators before an answer, and notify people of refusals."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import discord

from streamcord import Moderator, check_text
from streamcord.store import StoredPersona

from ..budget.budget import Budget
from ..budget.limits import BudgetRefusal, Payer
from ..config import BotConfig
from ..i18n import translate
from ..ops.metrics import Metrics
from ..personas.server_personas import show_name
from ..policy.access import DenialReason, Requester, ShownRefusals, is_open, requester_of
from ..policy.channel_config import ChannelConfig, place_of
from ..ui.notices import NoticeStyle, refusal_text, refuse_privately, reply_privately, send_notice
from .answer_journal import AnswerJournal

if TYPE_CHECKING:
    from ..messages.question import Question

_log = logging.getLogger(__name__)


class AnswerRefused(Exception):
    """A question is not answered; `key` is the locale key of the reason."""

    def __init__(self, key: str, requester: Requester, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.requester = requester
        self.values = values


def requester_in(question: Question, channel: object) -> Requester:
    """Return the person who asks, as access lists see them."""
    return requester_of(question.owner, question.messages[-1].roles, channel)


def check_answer(
    config: BotConfig, channel_config: ChannelConfig, requester: Requester, channel: object
) -> None:
    """Check that the requester may use the model and that the persona may speak in this channel.

    Raises:
        AnswerRefused: the answer is not allowed.

    """
    models = config.models
    if models and not is_open(config.model(channel_config.model).allow, requester):
        raise AnswerRefused(DenialReason.MODEL, requester)
    if is_adult(config, channel_config.speaker) and not is_adult_place(channel):
        raise AnswerRefused("closed_persona", requester, name=show_name(channel_config.persona.name))


def is_adult(config: BotConfig, speaker: StoredPersona) -> bool:
    """Return whether a persona is for age-restricted channels: by the configuration, or by a tag of its card."""
    # Servers can edit a persona of the file, but its age restriction stays.
    given = next((one for one in config.personas if one.name.casefold() == speaker.name.casefold()), None)
    return (given is not None and given.nsfw) or speaker.adult


def is_adult_place(channel: object) -> bool:
    """Return whether a channel is age-restricted; direct messages are not."""
    # Threads, forums and voice channels have `is_nsfw`; direct messages do not.
    asks = getattr(channel, "is_nsfw", None)
    return bool(asks and asks())


# --- Notices ---------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class RefusalNotifier:
    """Refuses questions and tells people why; an interrupted answer that may not be resumed is abandoned."""

    budget: Budget
    moderators: tuple[Moderator, ...]
    metrics: Metrics
    shown: ShownRefusals
    journal: AnswerJournal
    style: NoticeStyle

    async def is_over_budget(self, question: Question, channel: discord.abc.MessageableChannel) -> bool:
        """Return whether the budget of the payer is used up; sends a notice then."""
        if question.is_resumed or question.ask:
            # A resumed answer is charged when the model is asked for the rest.
            return False
        payer = Payer(question.payer, place_of(channel)[0].guild)
        refusal = await self.budget.check(payer)
        if refusal is not None:
            await self.refuse_for_costs(channel, question, refusal, begun=False)
        return refusal is not None

    async def is_blocked(
        self, question: Question, channel: discord.abc.MessageableChannel, text: str
    ) -> bool:
        """Return whether a moderator blocks a question; sends a notice then, and logs the reason."""
        # Checked before the model is asked, so that a blocked question costs nothing.
        reason = await check_text(self.moderators, text, "question")
        if reason:
            _log.info(
                "a moderator blocked a question of user %s in channel %s: %s",
                question.owner,
                question.channel,
                reason,
            )
            locale = self.style.locale(getattr(channel, "guild", None))
            await self.notify(question, channel, translate(locale, "question_blocked"), begun=False)
            # A resumed answer whose question is blocked now must not be tried again.
            await self.journal.abandon(question)
        return bool(reason)

    async def refuse(
        self, refused: AnswerRefused, question: Question, channel: discord.abc.MessageableChannel
    ) -> None:
        """Send the reason for a refusal once; users of a command, or with half an answer, get it each time."""
        # A command without a reply would look broken; half an answer needs an explanation.
        always = question.reply or question.journal
        if always or self.shown.is_first(refused.key, refused.requester):
            locale = self.style.locale(getattr(channel, "guild", None))
            text = translate(locale, refused.key, **refused.values)
            await self.notify(question, channel, text, begun=False)
        await self.journal.abandon(question)

    async def refuse_for_costs(
        self,
        channel: discord.abc.MessageableChannel,
        question: Question,
        refusal: BudgetRefusal,
        *,
        begun: bool = True,
        always: bool = False,
    ) -> None:
        """Notify a person that their budget is used up, unless they were notified recently.

        That a model is paused passes within seconds and is not their doing, so every question gets to know it.
        """
        self.metrics.record_refusal(refusal.reason)
        always = always or refusal.reason == "model"
        if question.reply or always or self.budget.should_notify(question.payer, refusal):
            locale = self.style.locale(getattr(channel, "guild", None))
            asked: Any = channel
            # A notice replies to the question, so that it is clear whose budget is meant.
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
        """Send a notice about a question where it was asked; `begun` if a part of the answer is shown."""
        if question.open_reply is not None:
            await (reply_privately if begun else refuse_privately)(question.open_reply, text)
        else:
            await send_notice(channel, text, reply_to, self.style.layout)
