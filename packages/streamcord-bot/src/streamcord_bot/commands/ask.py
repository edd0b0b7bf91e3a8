"""`/ask`, and "Ask about this" and "Continue" in the menu of a message.

They work where the bot may not read what people write, and, with `discord.user_install`, also where it is no
member: in group messages and in other people's direct messages. The answer is the reply to the command.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import aiohttp
import discord
from discord import app_commands

from streamcord.store import TurnJournal

from ..answering.answer_journal import AnswerJournal
from ..answering.recent_answers import RecentAnswer, RecentAnswers
from ..budget.budget import Budget
from ..budget.limits import Payer
from ..config.bot_config import BotConfig
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import ChatMessage, FileBudget, MessageReader
from ..messages.question import AnswerKind, Question
from ..ops.metrics import Metrics
from ..policy.access import DenialReason
from ..policy.channel_config import ChannelConfigs, place_of
from ..state import BotState
from ..ui.buttons import asker_of
from ..ui.notices import refusal_text, refuse_privately, reply_privately
from .base import AnyCommand, Interaction, allow_installs

__all__ = ["AskService", "ContinueService", "build_ask"]

QUESTION_LENGTH = 2000
MENU_LENGTH = 500
_REFUSED = {QueueResult.FULL: "full", QueueResult.CROWDED: "crowded"}


def build_ask(asking: AskService, continuing: ContinueService, *, user_install: bool) -> list[AnyCommand]:
    """Build the commands; with `user_install` people can use them where the bot is not a member."""

    @app_commands.command(description="Ask me something, also where I cannot read along")
    @app_commands.describe(
        question="what you want to know",
        private="whether only you see the answer",
        file="a picture or a text that it is about",
    )
    async def ask(
        interaction: Interaction,
        question: app_commands.Range[str, 1, QUESTION_LENGTH],
        private: bool = False,
        file: discord.Attachment | None = None,
    ) -> None:
        kept = await asking.keep(interaction, question, private=private)
        try:
            await interaction.response.defer(ephemeral=private)
        except discord.HTTPException:
            # Too late: Discord has told them already.
            asking.journal.discard(kept)
            raise
        except (aiohttp.ClientError, OSError):
            # Nobody knows whether Discord heard it: what is written down is answered when it is back.
            if not asking.journal.leave(kept):
                raise
            return
        await asking.ask(interaction, question, private=private, file=file, kept=kept)

    @app_commands.context_menu(name="Ask about this")
    async def ask_about(interaction: Interaction, message: discord.Message) -> None:
        await interaction.response.send_modal(AskForm(asking, message, str(interaction.locale)))

    @app_commands.context_menu(name="Continue")
    async def go_on(interaction: Interaction, message: discord.Message) -> None:
        await continuing.go_on(interaction, message)

    allow_installs([ask, ask_about], users=user_install)
    return [ask, ask_about, go_on]


class AskService:
    """Puts what was asked by a command into the queue of its channel."""

    def __init__(
        self,
        config: BotConfig,
        reader: MessageReader,
        channel_configs: ChannelConfigs,
        dispatcher: Dispatcher,
        journal: AnswerJournal,
        budget: Budget,
        metrics: Metrics,
    ) -> None:
        self._config = config
        self._reader = reader
        self._channel_configs = channel_configs
        self._dispatcher = dispatcher
        self.journal = journal
        self._budget = budget
        self._metrics = metrics

    async def ask(
        self,
        interaction: Interaction,
        text: str,
        about: discord.Message | None = None,
        *,
        private: bool = False,
        file: discord.Attachment | None = None,
        kept: TurnJournal | None = None,
    ) -> None:
        """Answer a question as the reply to its command; `kept` if it stands in the journal already."""
        if await self.is_refused(interaction):
            return
        asked = self._as_message(interaction, text)
        if file is not None:
            asked = await self._reader.read_attachments([file], asked, *self._room(interaction))
        shown = [await self._read(about, interaction)] if about is not None else []
        question = Question(
            asked.author, [*shown, asked], reply=interaction, private=private, pending_command=kept
        )
        await self.put(interaction, question)

    async def keep(self, interaction: Interaction, text: str, *, private: bool = False) -> TurnJournal | None:
        """Write a command down before Discord hears that it was taken; from then on it is answered."""
        if interaction.channel is None:
            return None
        asked = self._as_message(interaction, text)
        question = Question(asked.author, [asked], reply=interaction, private=private)
        self.journal.record_command(question)
        await self.journal.flush()
        return question.pending_command

    async def is_refused(self, interaction: Interaction) -> bool:
        """Tell somebody who gets no answer now, before anything is downloaded or written down for it."""
        person, locale = interaction.user.id, str(interaction.locale)
        if isinstance(interaction.channel, discord.DMChannel) and not (
            self._config.answer.direct_messages or self._config.discord.user_install
        ):
            await refuse_privately(interaction, translate(locale, DenialReason.DM))
            return True
        if refusal := await self._budget.check(Payer(person, interaction.guild_id or 0)):
            self._metrics.record_refusal(refusal.reason)
            await refuse_privately(interaction, refusal_text(locale, refusal))
            return True
        if self._dispatcher.is_crowded(person):
            await refuse_privately(interaction, translate(locale, "crowded"))
            return True
        return False

    async def _read(self, message: discord.Message, interaction: Interaction) -> ChatMessage:
        """The message that is asked about, with its files: it may be older than what is read anyway."""
        return await self._reader.read_files(message, self._reader.read(message), *self._room(interaction))

    def _room(self, interaction: Interaction) -> tuple[FileBudget, int]:
        """How many files are read, and how much of each."""
        context = self._config.context
        payer = Payer(interaction.user.id, interaction.guild_id or 0)
        pay = partial(self._budget.spend, payer)
        return FileBudget(context.images, context.files, pay=pay), context.file_length

    async def put(self, interaction: Interaction, question: Question) -> bool:
        """Queue a question; whether there was room for it."""
        locale = str(interaction.locale)
        if interaction.channel is None:
            await reply_privately(interaction, translate(locale, "too_old"))
            return False
        self.journal.record_command(question)
        config, _ = await self._channel_configs.find_or_default(*place_of(interaction.channel))
        heard = self._dispatcher.put(question, config)
        if heard in _REFUSED:
            self.journal.release(question)
            await refuse_privately(interaction, translate(locale, _REFUSED[heard]))
        return heard not in _REFUSED

    def _as_message(self, interaction: Interaction, text: str) -> ChatMessage:
        """What was asked, as if it had been written into the channel at this moment."""
        person = interaction.user
        return ChatMessage(
            interaction.id,
            person.id,
            person.display_name,
            text,
            channel=interaction.channel_id or 0,
            dm=interaction.guild_id is None,
            roles=asker_of(interaction).roles,
            reads_back=interaction.guild_id is None or interaction.permissions.read_message_history,
        )


class ContinueService:
    """Continues answers at the request of a command."""

    def __init__(
        self, asking: AskService, reader: MessageReader, recent_answers: RecentAnswers, state: BotState
    ) -> None:
        self._asking = asking
        self._reader = reader
        self._recent_answers = recent_answers
        self._handled = state.handled_button_messages

    async def go_on(self, interaction: Interaction, message: discord.Message) -> None:
        """Continue the answer that a message belongs to."""
        answered = self._recent_answers.find(message.id)
        asker = asker_of(interaction)
        locale = str(interaction.locale)
        if answered is None or not answered.can_continue:
            await reply_privately(interaction, translate(locale, "nothing_to_continue"))
            return
        if asker.id != answered.owner and not asker.moderator:
            await reply_privately(interaction, translate(locale, "not_yours", owner=f"<@{answered.owner}>"))
            return
        await interaction.response.defer()
        if await self._asking.is_refused(interaction):
            return
        # However often somebody asks for it, and with the button or without, it goes on once.
        last = answered.ids[-1]
        if not self._handled.claim(last):
            await refuse_privately(interaction, translate(locale, "nothing_to_continue"))
        elif not await self._continue(interaction, answered):
            self._handled.release(last)

    async def _continue(self, interaction: Interaction, answered: RecentAnswer) -> bool:
        """Queue the rest of an answer; whether that could be done."""
        channel: Any = interaction.channel
        try:
            asked = self._reader.read(await channel.fetch_message(answered.asked[-1]))
        except REQUEST_ERRORS:
            await reply_privately(interaction, translate(str(interaction.locale), "no_question"))
            return False
        question = Question(answered.owner, [asked], AnswerKind.CONTINUE, replaces=answered.ids)
        question.asked_by, question.reply = interaction.user.id, interaction
        return await self._asking.put(interaction, question)


class AskForm(discord.ui.Modal):
    """What somebody wants to know about a message."""

    def __init__(self, asking: AskService, message: discord.Message, locale: str) -> None:
        super().__init__(title=translate(locale, "ask_title")[:45])
        self._asking = asking
        self._message = message
        self._question: discord.ui.TextInput[AskForm] = discord.ui.TextInput(
            label=translate(locale, "ask_label")[:45],
            style=discord.TextStyle.paragraph,
            default=translate(locale, "ask_default"),
            max_length=MENU_LENGTH,
        )
        self.add_item(self._question)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Ask."""
        await interaction.response.defer(thinking=True)
        await self._asking.ask(interaction, self._question.value, self._message)
