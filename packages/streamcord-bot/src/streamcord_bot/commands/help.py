"""`/help`: what the bot can do here, and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands

from ..i18n import translate, translate_command
from ..personas.server_personas import escape, show_name
from ..policy.channel_config import ChannelConfigs, place_of
from ..ui.notices import reply_privately
from .base import (
    TEXT_LENGTH,
    AnyCommand,
)


def build_help(channel_configs: ChannelConfigs, commands: Sequence[AnyCommand]) -> AnyCommand:
    """Build `/help`."""

    @app_commands.command(name="help", description="How to talk to me, and what else I can do")
    async def help_(interaction: discord.Interaction[Any]) -> None:
        locale = str(interaction.locale)
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            return
        channel_config, _ = await channel_configs.find_or_default(*place_of(interaction.channel))
        listed = "\n".join(
            f"- `/{one.name}` {translate_command(locale, one.description)}"
            for one in commands
            if hasattr(one, "description")
        )
        text = translate(locale, "help", name=show_name(channel_config.persona.name), commands=listed)
        if words := channel_config.listening.words:
            triggers = escape(", ".join(words))
            text += "\n" + translate(locale, "help_words", words=triggers)
        await reply_privately(interaction, text[:TEXT_LENGTH])

    return help_
