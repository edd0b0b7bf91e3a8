"""`/model`: which model answers here, and another one for the channel or the server."""

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

CHOICE_CAP = 25
"""What Discord shows of an autocompletion, at most."""


def build(services: Services) -> Iterable[app_commands.Command[Any, Any, Any]]:
    """The command for one bot."""
    models = list(services.config.models)

    async def complete(_: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
        found = [name for name in models if current.casefold() in name.casefold()]
        return [app_commands.Choice(name=name, value=name) for name in found[:CHOICE_CAP]]

    @app_commands.command(description="Which model answers here; name another one to change it")
    @app_commands.describe(
        name="the model that shall answer", everywhere="in the whole server, not only in this channel"
    )
    @app_commands.autocomplete(name=complete)
    async def model(interaction: discord.Interaction[Any], name: str = "", everywhere: bool = False) -> None:
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True)
        await answer_quietly(interaction, await _choose(services, interaction, name, everywhere=everywhere))

    return [model]


async def _choose(
    services: Services, interaction: discord.Interaction[Any], name: str, *, everywhere: bool
) -> str:
    locale, models = str(interaction.locale), services.config.models
    channel = interaction.channel
    if channel is None:
        return word(locale, "too_old")
    place, parent = place_of(channel)
    if not name:
        scene, _ = await services.scenes.find_or_default(place, parent)
        return word(locale, "model_is", model=scene.model or next(iter(models), "-"))
    if interaction.guild is not None and not interaction.permissions.manage_guild:
        return word(locale, "may_not")
    if name not in models:
        return word(
            locale, "model_unknown", model=name[:50].replace("`", "ˋ"), models=", ".join(models) or "-"
        )
    await services.store.change_settings(place.server if everywhere else place, {"model": name})
    return word(locale, "model_set", model=name)
