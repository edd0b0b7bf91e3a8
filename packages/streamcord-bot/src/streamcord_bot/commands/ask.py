"""`/ask`, and "Ask about this" and "Continue" in the menu of a message.

They work where the bot may not read messages and, with `discord.user_install`, also where it is not a member: in group
messages and in direct messages of other users. The answer is the reply to the command.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from textwrap import shorten
from typing import Any

import aiohttp
import discord
from discord import app_commands

from streamcord.discord import is_user_install_only
from streamcord.store import TurnJournal

from ..answering.answer_journal import AnswerJournal
from ..answering.recent_answers import RecentAnswer, RecentAnswers
from ..budget.budget import Budget
from ..budget.limits import Payer
from ..config import BotConfig
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import ChatMessage, FileBudget, MessageReader
from ..messages.question import AnswerKind, Question
from ..ops.metrics import Metrics
from ..personas.server_personas import escape
from ..policy.access import DenialReason
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import stop_requester_of
from ..policy.write_access import WriteAccess
from ..state import BotState
from ..ui.notices import refusal_text, refuse_privately, reply_privately, send_notice
from .base import FORM_TIMEOUT_S, AnyCommand, Interaction, allow_installs, with_permissions_of

UNKNOWN_INTERACTION = 10062
"""Discord's code for an interaction that was not acknowledged within three seconds."""
QUESTION_LENGTH = 2000
"""Characters of a question to `/ask`."""
LATE_QUESTION_LENGTH = 300
"""Characters of a question that are shown when it is answered in the channel."""
MENU_LENGTH = 500
"""Characters of a question in the form of "Ask about this"."""
_log = logging.getLogger(__name__)
# Locale keys for questions that the queue did not accept.
_REFUSED = {QueueResult.FULL: "full", QueueResult.CROWDED: "crowded"}


def build_ask(
    ask_service: AskService, continue_service: ContinueService, *, user_install: bool
) -> list[AnyCommand]:
    """Build the commands; with `user_install` users can use them where the bot is not a member."""

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
        # Recorded before the acknowledgement: from then on the user waits, even if this process dies.
        kept = await ask_service.keep(interaction, question, private=private)
        try:
            await interaction.response.defer(ephemeral=private)
        except discord.HTTPException as error:
            # Discord rejected it, usually because three seconds have passed.
            ask_service.journal.discard(kept)
            if error.code != UNKNOWN_INTERACTION:
                raise
            await ask_service.ask_late(interaction, question, private=private, file=file)
            return
        except (aiohttp.ClientError, OSError):
            # It is unknown whether Discord received it; recovery answers the recorded question later.
            if not ask_service.journal.leave(kept):
                raise
            return
        await ask_service.ask(interaction, question, private=private, file=file, kept=kept)

    @app_commands.context_menu(name="Ask about this")
    async def ask_about(interaction: Interaction, message: discord.Message) -> None:
        await interaction.response.send_modal(AskForm(ask_service, message, str(interaction.locale)))

    @app_commands.context_menu(name="Continue")
    async def continue_answer(interaction: Interaction, message: discord.Message) -> None:
        await continue_service.continue_answer(interaction, message)

    allow_installs([ask, ask_about], users=user_install)
    return [ask, ask_about, continue_answer]


@dataclass(eq=False, repr=False)
class AskService:
    """Puts questions asked by commands into the queue of their channel."""

    config: BotConfig
    reader: MessageReader
    channel_configs: ChannelConfigs
    dispatcher: Dispatcher
    journal: AnswerJournal
    budget: Budget
    metrics: Metrics
    write_access: WriteAccess

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
        """Answer a question as the reply to its command.

        Args:
            interaction: the command.
            text: the question.
            about: the message that the question is about.
            private: whether only the user sees the answer.
            file: an attachment of the question.
            kept: the journal of the question, if it is recorded already.

        """
        if await self.is_refused(interaction):
            return
        asked = self._as_message(interaction, text)
        if file is not None:
            asked = await self.reader.read_attachments([file], asked, *self._file_limits(interaction))
        shown = [await self._read(about, interaction)] if about is not None else []
        question = Question(
            asked.author, [*shown, asked], reply=interaction, private=private, waiting_turn=kept
        )
        await self.put(interaction, question)

    async def ask_late(
        self, interaction: Interaction, text: str, *, private: bool, file: discord.Attachment | None
    ) -> None:
        """Answer a command in the channel that accepts no reply any more: after an outage the gateway sends old events.

        Where that is not possible, the user is told in the channel.
        """
        # That someone asked in private is no one else's business; Discord has shown them an error itself.
        channel = interaction.channel
        _log.info("interaction %s: it arrived too late for a reply", interaction.id)
        if private or not isinstance(channel, discord.abc.Messageable):
            return
        person, locale = interaction.user, str(interaction.locale)
        # Only a command of a server's own bot: a bot that one user has installed cannot write there.
        can_answer = (
            not is_user_install_only(interaction)
            and self.write_access.is_open(channel)
            and await self.budget.check(Payer(person.id, interaction.guild_id or 0)) is None
            and not self.dispatcher.is_crowded(person.id)
        )
        if not can_answer:
            await send_notice(channel, f"{person.mention} {translate(locale, 'late_command')}")
            return
        shown = escape(shorten(text, LATE_QUESTION_LENGTH, placeholder="…"))
        await send_notice(channel, f"{person.mention} /ask {shown}")
        asked = self._as_message(interaction, text)
        if file is not None:
            asked = await self.reader.read_attachments([file], asked, *self._file_limits(interaction))
        question = Question(asked.author, [asked], reply=interaction, is_late=True)
        if not await self.put(interaction, question):
            await send_notice(channel, f"{person.mention} {translate(locale, 'late_command')}")

    async def keep(self, interaction: Interaction, text: str, *, private: bool = False) -> TurnJournal | None:
        """Record a question in the journal before it is acknowledged, so that a restart does not lose it."""
        if interaction.channel is None:
            return None
        # Attachments are read later, in `ask`: downloading them could take longer than Discord waits.
        asked = self._as_message(interaction, text)
        question = Question(asked.author, [asked], reply=interaction, private=private)
        self.journal.record_waiting(question)
        await self.journal.flush()
        return question.waiting_turn

    async def is_refused(self, interaction: Interaction) -> bool:
        """Return whether the user gets no answer now, and notify them; before anything is downloaded."""
        person, locale = interaction.user.id, str(interaction.locale)
        if isinstance(interaction.channel, discord.DMChannel) and not (
            self.config.answer.direct_messages or self.config.discord.user_install
        ):
            await refuse_privately(interaction, translate(locale, DenialReason.DM))
            return True
        if refusal := await self.budget.check(Payer(person, interaction.guild_id or 0)):
            self.metrics.record_refusal(refusal.reason)
            await refuse_privately(interaction, refusal_text(locale, refusal))
            return True
        if self.dispatcher.is_crowded(person):
            await refuse_privately(interaction, translate(locale, "crowded"))
            return True
        return False

    async def _read(self, message: discord.Message, interaction: Interaction) -> ChatMessage:
        """Read the message that is asked about, with its files: it may be too old for the channel history."""
        return await self.reader.read_files(
            message, self.reader.read(message), *self._file_limits(interaction)
        )

    def _file_limits(self, interaction: Interaction) -> tuple[FileBudget, int]:
        """Return how many files are read, and how many characters of each."""
        context = self.config.context
        payer = Payer(interaction.user.id, interaction.guild_id or 0)
        pay = partial(self.budget.spend, payer)
        return FileBudget(context.images, context.files, pay=pay), context.file_length

    async def put(self, interaction: Interaction, question: Question) -> bool:
        """Queue a question and return whether the queue accepted it."""
        locale = str(interaction.locale)
        # Discord leaves the channel out if the bot cannot see it any more.
        if interaction.channel is None:
            await reply_privately(interaction, translate(locale, "too_old"))
            return False
        # Does nothing if `keep` has recorded it before the acknowledgement.
        self.journal.record_waiting(question)
        config, _ = await self.channel_configs.find_or_default(*place_of(interaction.channel))
        outcome = self.dispatcher.put(question, config)
        if outcome in _REFUSED:
            # The user sees a refusal instead of an answer, so recovery must not answer later.
            self.journal.release(question)
            await refuse_privately(interaction, translate(locale, _REFUSED[outcome]))
        return outcome not in _REFUSED

    def _as_message(self, interaction: Interaction, text: str) -> ChatMessage:
        """Return the question as if the user had written it into the channel now."""
        person = interaction.user
        return ChatMessage(
            interaction.id,
            person.id,
            person.display_name,
            text,
            channel=interaction.channel_id or 0,
            dm=interaction.guild_id is None,
            roles=stop_requester_of(interaction).roles,
            reads_back=interaction.guild_id is None or interaction.permissions.read_message_history,
        )


class ContinueService:
    """Continues answers at the request of a command."""

    def __init__(
        self, ask_service: AskService, reader: MessageReader, recent_answers: RecentAnswers, state: BotState
    ) -> None:
        self._ask_service = ask_service
        self._reader = reader
        self._recent_answers = recent_answers
        # Shared with the buttons, so that menu and button together continue an answer once.
        self._handled = state.handled_button_messages

    async def continue_answer(self, interaction: Interaction, message: discord.Message) -> None:
        """Continue the answer that a message belongs to."""
        answered = self._recent_answers.find(message.id, interaction.user.id)
        asker = stop_requester_of(interaction)
        locale = str(interaction.locale)
        if answered is None or not answered.can_continue:
            await reply_privately(interaction, translate(locale, "nothing_to_continue"))
            return
        if asker.id != answered.owner and not asker.moderator:
            await reply_privately(interaction, translate(locale, "not_yours", owner=f"<@{answered.owner}>"))
            return
        # The rest of a private answer is as private as its beginning.
        await interaction.response.defer(ephemeral=answered.private)
        if await self._ask_service.is_refused(interaction):
            return
        # Several requests, by menu or button, continue an answer only once.
        last = answered.ids[-1]
        if not self._handled.claim(last):
            await refuse_privately(interaction, translate(locale, "nothing_to_continue"))
        elif not await self._continue(interaction, answered):
            self._handled.release(last)

    async def _continue(self, interaction: Interaction, answered: RecentAnswer) -> bool:
        """Queue the rest of an answer and return whether the queue accepted it."""
        channel: Any = interaction.channel
        try:
            fetched = await channel.fetch_message(answered.asked[-1])
        except REQUEST_ERRORS:
            await reply_privately(interaction, translate(str(interaction.locale), "no_question"))
            return False
        asked = with_permissions_of(interaction, self._reader.read(fetched))
        question = Question(answered.owner, [asked], AnswerKind.CONTINUE, replaces=answered.ids)
        question.persona = answered.persona
        # A moderator may continue the answer of another user; the budget of the moderator pays for it.
        question.asked_by, question.reply = interaction.user.id, interaction
        question.private = answered.private
        return await self._ask_service.put(interaction, question)


class AskForm(discord.ui.Modal):
    """The form of "Ask about this"."""

    def __init__(self, ask_service: AskService, message: discord.Message, locale: str) -> None:
        # Discord allows 45 characters for titles and labels of a form.
        super().__init__(title=translate(locale, "ask_title")[:45], timeout=FORM_TIMEOUT_S)
        self._ask_service = ask_service
        self._message = message
        self._question: discord.ui.TextInput[AskForm] = discord.ui.TextInput(
            label=translate(locale, "ask_label")[:45],
            style=discord.TextStyle.paragraph,
            default=translate(locale, "ask_default"),
            max_length=MENU_LENGTH,
        )
        self.add_item(self._question)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Answer the question of the form."""
        await interaction.response.defer(thinking=True)
        await self._ask_service.ask(interaction, self._question.value, self._message)
