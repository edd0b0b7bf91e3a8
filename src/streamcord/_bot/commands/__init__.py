"""The bot's slash commands: which there are, who may use them, and what people are told when one fails."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from streamcord import StoreError

from ..asking.ask_command import build_ask
from ..budget.usage_command import build_usage
from ..conversation.chat_message import MessageReader
from ..intake.file_reader import asking_server
from ..notices import reply_privately, translate
from ..rights.access import AccessConfig, ClosedTo, find_refusal, visitor_of
from ..safety.change_log import build_changes
from ..safety.privacy_command import PrivacyCommands
from ..services import Services
from .basic_commands import MemoryCommands, build_help, build_model, build_stop, build_why
from .command_base import ERROR_SHOWN, AnyCommand
from .persona_command import PersonaCommands
from .settings_command import SettingsCommands

if TYPE_CHECKING:
    from ..client import Bot

__all__ = ["CommandTree", "build_commands", "refusal_of"]

_log = logging.getLogger("streamcord.bot")


def build_commands(services: Services, reader: MessageReader) -> list[AnyCommand]:
    """All commands of one bot, in the order in which `/help` lists them."""
    return [
        *build_ask(services, reader),
        build_stop(services),
        PersonaCommands(services),
        SettingsCommands(services),
        build_model(services),
        MemoryCommands(services),
        build_usage(services),
        PrivacyCommands(services),
        build_changes(services),
        *build_why(services),
        build_help(services),
    ]


class CommandTree(app_commands.CommandTree["Bot"]):
    """The command tree; errors of commands are explained to their user."""

    async def interaction_check(self, interaction: discord.Interaction[Bot], /) -> bool:
        """Whether somebody may use commands; everybody may have themselves forgotten."""
        if not self.client.continuity.lease.covers(interaction.guild_id or 0):
            # Another process hears it too, and answers.
            return False
        asking_server.set(interaction.guild_id or 0)
        command = interaction.command.qualified_name if interaction.command else ""
        access = self.client.services.config.access
        refusal = None if command.startswith(_FOR_EVERYBODY) else refusal_of(access, interaction)
        if refusal is None:
            return True
        if interaction.type is discord.InteractionType.application_command:
            await reply_privately(interaction, translate(str(interaction.locale), refusal))
        return False

    async def on_error(
        self, interaction: discord.Interaction[Bot], error: app_commands.AppCommandError
    ) -> None:
        """Tell the user why a command failed; log what is our fault."""
        locale = str(interaction.locale)
        if interaction.extras.get(ERROR_SHOWN):
            return
        if isinstance(error, app_commands.CheckFailure):
            await reply_privately(interaction, translate(locale, "need_server"))
            return
        cause = error.__cause__ or error
        name = interaction.command.qualified_name if interaction.command else "?"
        if isinstance(cause, StoreError):
            _log.warning("/%s: the store failed: %s", name, cause)
            await reply_privately(interaction, translate(locale, "store_down"))
            return
        target = f"{interaction.id:x}"
        _log.error("/%s failed (%s)", name, target, exc_info=cause)
        await reply_privately(interaction, translate(locale, "failed", turn=target))


_FOR_EVERYBODY = ("memory forget-me", "privacy")


def refusal_of(access: AccessConfig, interaction: discord.Interaction[Any]) -> ClosedTo | None:
    """Why somebody may not use a command or button, or `None`."""
    roles = (role.id for role in getattr(interaction.user, "roles", ()))
    if interaction.channel is None:
        return None
    return find_refusal(access, visitor_of(interaction.user.id, roles, interaction.channel))
