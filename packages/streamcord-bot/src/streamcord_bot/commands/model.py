"""`/model`: show and choose the model of a channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import discord
from discord import app_commands

from streamcord.store import Place, Store

from ..config import BotConfig, ModelConfig
from ..config.server_limits import may_change
from ..i18n import translate
from ..policy.access import is_open, requester_of
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import stop_requester_of
from ..ui.notices import reply_privately
from .autocomplete import CHOICE_CAP
from .base import (
    AnyCommand,
    CommandRefused,
)


def build_model(config: BotConfig, store: Store, channel_configs: ChannelConfigs) -> AnyCommand:
    """Build `/model`."""

    async def complete(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
        models = _open_models(config, interaction)
        found = [name for name in models if current.casefold() in name.casefold()]
        return [app_commands.Choice(name=name, value=name) for name in found[:CHOICE_CAP]]

    @app_commands.command(description="Which model answers here; name another one to change it")
    @app_commands.describe(
        name="the model that should answer", everywhere="in the whole server, not only in this channel"
    )
    @app_commands.autocomplete(name=complete)
    async def model(interaction: discord.Interaction[Any], name: str = "", everywhere: bool = False) -> None:
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True)
        await reply_privately(
            interaction,
            await _choose_model(config, store, channel_configs, interaction, name, everywhere=everywhere),
        )

    return model


async def _choose_model(
    config: BotConfig,
    store: Store,
    channel_configs: ChannelConfigs,
    interaction: discord.Interaction[Any],
    name: str,
    *,
    everywhere: bool,
) -> str:
    locale, models = str(interaction.locale), config.models
    channel = interaction.channel
    if channel is None:
        return translate(locale, "too_old")
    place, parent = place_of(channel)
    if not name:
        channel_config, _ = await channel_configs.find_or_default(place, parent)
        return translate(locale, "model_is", model=_describe_model(models, channel_config.model))
    # Anyone may see the model; changing it needs a permission.
    if refusal := _find_model_refusal(config, interaction, place, name, everywhere=everywhere):
        return translate(locale, refusal.key, **refusal.values)
    await store.change_settings(place.server if everywhere else place, {"model": name})
    return translate(locale, "model_set", model=_describe_model(models, name))


def _find_model_refusal(
    config: BotConfig, interaction: discord.Interaction[Any], place: Place, name: str, *, everywhere: bool
) -> CommandRefused | None:
    """Return why a user may not choose this model, or `None`."""
    if not may_change(config.servers, "model", place.guild):
        return CommandRefused("model_withheld")
    if everywhere and not place.guild:
        return CommandRefused("only_server")
    if place.guild and not interaction.permissions.manage_guild:
        return CommandRefused("need_server")
    models = _open_models(config, interaction)
    if name not in models:
        # The reply quotes the name between backticks.
        shown = name[:50].replace("`", "ˋ")
        return CommandRefused("model_unknown", model=shown, models=", ".join(models) or "-")
    return None


def _open_models(config: BotConfig, interaction: discord.Interaction[Any]) -> list[str]:
    """Return the names of the models that a user may choose in this place."""
    requester = requester_of(interaction.user.id, stop_requester_of(interaction).roles, interaction.channel)
    return [name for name, model in config.models.items() if is_open(model.allow, requester)]


def _describe_model(models: Mapping[str, ModelConfig], name: str) -> str:
    """Return a model's name in the file (or the first model's), with its provider and the provider's name for it."""
    model = models.get(name) or next(iter(models.values()), None)
    return f"**{model.name}** ({f'{model.provider} {model.model}'.strip()})" if model else "**-**"
