"""Who used a command or a button, and what they may do."""

from __future__ import annotations

from typing import Any

import discord

from streamcord import Asker

__all__ = ["asker_of"]


def asker_of(interaction: discord.Interaction[Any]) -> Asker:
    """The person as somebody who wants a turn to end; in direct messages everybody is at home."""
    person = interaction.user
    roles = frozenset(role.id for role in person.roles) if isinstance(person, discord.Member) else frozenset()
    moderator = interaction.guild is not None and interaction.permissions.manage_messages
    return Asker(person.id, moderator, roles, person.bot)
