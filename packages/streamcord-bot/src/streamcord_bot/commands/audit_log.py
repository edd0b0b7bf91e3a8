"""Record which user changed what with which command, and show the record to users who manage the server."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import discord
from discord import app_commands

from streamcord import StoreError
from streamcord.store import Change, Store
from streamcord.utils import SecretFilter, one_line

from ..i18n import translate
from ..personas.server_personas import escape
from ..policy.channel_config import place_of
from ..ui.notices import reply_privately
from .base import AnyCommand

SHOWN_CAP = 20
"""Entries that `/changes` shows."""
VALUE_LENGTH = 60
"""Characters of one option that are recorded."""
DETAIL_LENGTH = 200
"""Characters of all options together that are recorded."""
TEXT_LENGTH = 1900
"""Characters of the reply of `/changes`, below Discord's limit of 2000."""

# Commands that change something, and their subcommands that only read.
_CHANGING = frozenset({"settings", "persona", "model", "memory"})
_READING = frozenset({"show", "list", "export", "forget-me"})

_log = logging.getLogger(__name__)


async def audit_command(
    store: Store, secrets: Iterable[str], interaction: discord.Interaction[Any], command: AnyCommand
) -> None:
    """Record a command that changed something; call it after the command has succeeded."""
    name, channel = command.qualified_name, interaction.channel
    if channel is None or not _changes(interaction, name):
        return
    place, _ = place_of(channel)
    # A user may have pasted a key or token into an option.
    detail = SecretFilter(secrets).hide(format_options(interaction.namespace))
    try:
        await store.record_change(Change(place, interaction.user.id, name, detail))
    except StoreError as error:
        _log.warning("audit log: could not record /%s by user %d: %s", name, interaction.user.id, error)


def _changes(interaction: discord.Interaction[Any], name: str) -> bool:
    words = name.split()
    if words[0] not in _CHANGING or words[-1] in _READING or interaction.namespace.try_only:
        return False
    # `/model` without a name only shows the model, and it replies instead of raising when the user may not.
    if name != "model":
        return True
    may = interaction.guild is None or interaction.permissions.manage_guild
    return bool(interaction.namespace.name) and may


def format_options(options: app_commands.Namespace) -> str:
    """Return the options of a command on one line, shortened."""
    parts = []
    for name, value in options:
        # The content of a file is not recorded, only its name.
        shown = value.filename if isinstance(value, discord.Attachment) else str(value)
        parts.append(f"{name}: {shown if len(shown) <= VALUE_LENGTH else shown[: VALUE_LENGTH - 1] + '…'}")
    return one_line(", ".join(parts))[:DETAIL_LENGTH]


def build_changes(store: Store) -> AnyCommand:
    """Build `/changes`."""

    @app_commands.command(description="Who changed what in this server, the newest first")
    @app_commands.guild_only()
    async def changes(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(ephemeral=True)
        locale = str(interaction.locale)
        if not interaction.permissions.manage_guild:
            await reply_privately(interaction, translate(locale, "need_server"))
            return
        found = await store.changes(interaction.guild_id or 0, SHOWN_CAP)
        head = translate(locale, "changes_head" if found else "changes_none")
        await reply_privately(interaction, _fit(head, [_line(one) for one in found]))

    return changes


def _line(change: Change) -> str:
    where = f" <#{change.place.channel}>" if change.place.channel else ""
    # Users typed this text: without escaping it could imitate other entries.
    detail = f" ({escape(change.detail)})" if change.detail else ""
    return f"- <t:{change.at:.0f}:R> <@{change.user}>{where}: `/{change.action}`{detail}"


def _fit(head: str, lines: list[str]) -> str:
    text = head
    for line in lines:
        if len(text) + len(line) >= TEXT_LENGTH:
            break
        text += f"\n{line}"
    return text
