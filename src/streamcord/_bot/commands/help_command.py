"""`/help`: how one talks to the bot, and its commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import discord
from discord import app_commands

from ..answer.notices import word
from ..answer.send_notice import answer_quietly
from ..conversation.scene import place_of
from ..services import Services

__all__ = ["build"]

TEXT_LENGTH = 2000


def build(services: Services) -> Iterable[app_commands.Command[Any, Any, Any]]:
    """The command for one bot."""

    @app_commands.command(name="help", description="How to talk to me, and what else I can do")
    async def help_(interaction: discord.Interaction[Any]) -> None:
        locale = str(interaction.locale)
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            return
        scene, _ = await services.scenes.find_or_default(*place_of(interaction.channel))
        commands = "\n".join(
            f"- `/{one.name}` {one.description}" for one in services.commands if hasattr(one, "description")
        )
        text = word(locale, "help", name=discord.utils.escape_markdown(scene.persona.name), commands=commands)
        if words := scene.listening.words:
            heard = discord.utils.escape_markdown(", ".join(words))
            text += "\n" + word(locale, "help_words", words=heard)
        await answer_quietly(interaction, text[:TEXT_LENGTH])

    return [help_]
