"""`/why`: explain how a message came to be: its text, its settings, its model."""

from __future__ import annotations

import io
import re
from typing import Any

import discord
from discord import app_commands

from ..answering.explanations import explain_message, explain_turn
from ..answering.recent_answers import RecentAnswers, table_source
from ..discord_requests import NO_PINGS
from ..i18n import translate
from ..ui.notices import reply_privately
from .base import (
    AnyCommand,
)

# The id of a message, alone or at the end of its link.
_ID = re.compile(r"(?:.{0,200}/)?(\d{15,22})\s*", re.DOTALL)


def build_why(recent_answers: RecentAnswers) -> list[AnyCommand]:
    """Build `/why`, and "Why?" in the menu of a message."""

    @app_commands.command(description="Why a message of mine looks as it does: cuts, rules, waits")
    @app_commands.describe(message="link or id of the message; left out, my last one here")
    async def why(interaction: discord.Interaction[Any], message: str = "") -> None:
        match = _ID.fullmatch(message.strip())
        channel = interaction.channel_id or 0
        failed = recent_answers.find_without_message(channel, interaction.user.id)
        if failed is not None and not message.strip():
            await reply_privately(interaction, explain_turn(failed))
            return
        id_ = int(match[1]) if match else recent_answers.last_in(channel, interaction.user.id)
        await _explain(interaction, recent_answers, id_)

    @app_commands.context_menu(name="Why?")
    async def why_this(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await _explain(interaction, recent_answers, message.id)

    return [why, why_this]


async def _explain(interaction: discord.Interaction[Any], recent_answers: RecentAnswers, id_: int) -> None:
    answered = recent_answers.find(id_, interaction.user.id)
    # Without this check, a user who knows an id could read answers of a channel that they may not see.
    if answered is None or answered.channel != interaction.channel_id:
        await reply_privately(interaction, translate(str(interaction.locale), "too_old"))
        return
    text = explain_message(answered, id_)
    source = table_source(answered, id_)
    table = io.BytesIO(source.encode("utf-8", "replace"))
    files = [discord.File(table, "source.md", spoiler="||" in source)] if source else []
    await interaction.response.send_message(text, ephemeral=True, files=files, allowed_mentions=NO_PINGS)
