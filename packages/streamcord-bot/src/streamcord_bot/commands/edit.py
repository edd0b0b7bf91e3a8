"""`/edit`: change the text of the bot's last message."""

from __future__ import annotations

import discord
from discord import app_commands

from ..answering.recent_answers import RecentAnswer, RecentAnswers
from ..answering.variants import AnswerVariants
from ..i18n import translate
from ..policy.permissions import stop_requester_of
from ..ui.notices import reply_privately
from .base import FORM_TIMEOUT_S, AnyCommand, Interaction

TEXT_CHARS = 1950
"""Longest text that is edited: it stays one message."""


def build_edit(recent_answers: RecentAnswers, variants: AnswerVariants) -> AnyCommand:
    """Build `/edit`."""

    @app_commands.command(description="Change the text of my last message here, if it answers you")
    async def edit(interaction: Interaction) -> None:
        locale, asker = str(interaction.locale), stop_requester_of(interaction)
        channel = interaction.channel_id or 0
        answered = recent_answers.find(recent_answers.last_in(channel, asker.id), asker.id)
        if answered is None or answered.private:
            await reply_privately(interaction, translate(locale, "too_old"))
        elif asker.id != answered.owner and not asker.moderator:
            await reply_privately(interaction, translate(locale, "not_yours", owner=f"<@{answered.owner}>"))
        elif answered.result.receipts[-1].message.files or len(_text_of(answered)) > TEXT_CHARS:
            await reply_privately(interaction, translate(locale, "not_editable"))
        else:
            await interaction.response.send_modal(EditForm(variants, answered, locale))

    return edit


def _text_of(answered: RecentAnswer) -> str:
    """Return the text of an answer's last message."""
    return answered.result.receipts[-1].message.content


class EditForm(discord.ui.Modal):
    """The form of `/edit`."""

    def __init__(self, variants: AnswerVariants, answered: RecentAnswer, locale: str) -> None:
        # Discord allows 45 characters for titles and labels of a form.
        super().__init__(title=translate(locale, "edit_title")[:45], timeout=FORM_TIMEOUT_S)
        self._variants = variants
        self._answered = answered
        self._text: discord.ui.TextInput[EditForm] = discord.ui.TextInput(
            label=translate(locale, "edit_label")[:45],
            style=discord.TextStyle.paragraph,
            default=_text_of(answered),
            max_length=TEXT_CHARS,
        )
        self.add_item(self._text)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Change the message."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        channel, locale = interaction.channel, str(interaction.locale)
        if not isinstance(channel, discord.abc.Messageable):
            return
        reason = await self._variants.edit_last(channel, self._answered, self._text.value, locale)
        await reply_privately(interaction, translate(locale, reason or "edited"))
