"""The bot's commands, one file each; every file has `build(services)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from discord import app_commands

if TYPE_CHECKING:
    from ..services import Services

__all__ = ["AnyCommand", "build_commands"]

AnyCommand: TypeAlias = "app_commands.Command[Any, Any, Any] | app_commands.ContextMenu | app_commands.Group"


def build_commands(services: Services) -> list[AnyCommand]:
    """All commands of one bot, in the order in which `/help` lists them."""
    from . import (  # noqa: PLC0415  (these know this module)
        help_command,
        memory_command,
        model_command,
        persona_command,
        settings_command,
        stop_command,
        why_command,
    )

    files = (
        stop_command,
        persona_command,
        settings_command,
        model_command,
        memory_command,
        why_command,
        help_command,
    )
    return [command for file in files for command in file.build(services)]
