"""`/why`, and "Why?" on a message: how it came to look as it does."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import Any

import discord
from discord import app_commands

from ..answer.explanation import explain_message, table_source
from ..answer.message_edits import NOBODY
from ..answer.notices import word
from ..answer.send_notice import answer_quietly
from ..services import Services
from . import AnyCommand

__all__ = ["build"]

_ID = re.compile(r"(?:.{0,200}/)?(\d{15,22})\s*", re.DOTALL)


def build(services: Services) -> Iterable[AnyCommand]:
    """Both commands for one bot."""

    @app_commands.command(description="Why a message of mine looks as it does: cuts, rules, waits")
    @app_commands.describe(message="link or id of the message; left out, my last one here")
    async def why(interaction: discord.Interaction[Any], message: str = "") -> None:
        match = _ID.fullmatch(message.strip())
        id_ = int(match[1]) if match else services.archive.last_in(interaction.channel_id or 0)
        await _answer(interaction, services, id_)

    @app_commands.context_menu(name="Why?")
    async def why_this(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await _answer(interaction, services, message.id)

    return [why, why_this]


async def _answer(interaction: discord.Interaction[Any], services: Services, id_: int) -> None:
    answered = services.archive.find(id_)
    # Whoever knows an id must not learn what was said in a channel that is closed to them.
    if answered is None or answered.channel != interaction.channel_id:
        await answer_quietly(interaction, word(str(interaction.locale), "too_old"))
        return
    text = explain_message(answered, id_)
    source = table_source(answered, id_)
    files = [discord.File(io.BytesIO(source.encode("utf-8", "replace")), "table.md")] if source else []
    await interaction.response.send_message(text, ephemeral=True, files=files, allowed_mentions=NOBODY)
