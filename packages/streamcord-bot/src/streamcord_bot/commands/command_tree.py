"""The bot's command tree: checks who may use commands, and explains errors to users."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import app_commands

from streamcord import StoreError

from ..config import AccessConfig
from ..coordination.base import Coordinator
from ..i18n import translate
from ..policy.access import DenialReason, find_refusal, requester_of
from ..sandbox.client import requesting_guild
from ..ui.notices import reply_privately
from .base import ERROR_SHOWN

_log = logging.getLogger(__name__)


class CommandTree(app_commands.CommandTree[discord.Client]):
    """The command tree; errors of commands are explained to their user."""

    def __init__(self, client: discord.Client, access: AccessConfig, coordinator: Coordinator) -> None:
        super().__init__(client)
        self._access = access
        self._coordinator = coordinator

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        """Return whether a user may use commands; all users may delete their own data."""
        if not self._coordinator.owns_guild(interaction.guild_id or 0):
            # Another process of the cluster owns this server and receives the same interaction.
            return False
        # The sandbox divides its capacity between servers, and reads the server from this context variable.
        requesting_guild.set(interaction.guild_id or 0)
        command = interaction.command.qualified_name if interaction.command else ""
        refusal = None if command.startswith(_FOR_EVERYBODY) else refusal_of(self._access, interaction)
        if refusal is None:
            return True
        # Autocompletion cannot show a text, so it stays empty.
        if interaction.type is discord.InteractionType.application_command:
            await reply_privately(interaction, translate(str(interaction.locale), refusal))
        return False

    async def on_error(
        self, interaction: discord.Interaction[discord.Client], error: app_commands.AppCommandError
    ) -> None:
        """Show the user why a command failed, and log errors that are not theirs."""
        locale = str(interaction.locale)
        # A command group has handled it already.
        if interaction.extras.get(ERROR_SHOWN):
            return
        if isinstance(error, app_commands.CheckFailure):
            await reply_privately(interaction, translate(locale, "need_server"))
            return
        cause = error.__cause__ or error
        name = interaction.command.qualified_name if interaction.command else "?"
        if isinstance(cause, StoreError):
            _log.warning("/%s failed because of the store: %s", name, cause)
            await reply_privately(interaction, translate(locale, "store_down"))
            return
        # The user sees this id, and the operator finds the traceback by it.
        target = f"{interaction.id:x}"
        _log.error("/%s failed (%s)", name, target, exc_info=cause)
        await reply_privately(interaction, translate(locale, "failed", turn=target))


# Commands that blocked users may use too: they delete or show their own data.
_FOR_EVERYBODY = ("memory forget-me", "privacy")


def refusal_of(access: AccessConfig, interaction: discord.Interaction[Any]) -> DenialReason | None:
    """Return why a user may not use a command or button, or `None`."""
    roles = (role.id for role in getattr(interaction.user, "roles", ()))
    if interaction.channel is None:
        return None
    return find_refusal(access, requester_of(interaction.user.id, roles, interaction.channel))
