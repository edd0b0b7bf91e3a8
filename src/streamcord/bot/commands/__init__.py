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
    from . import help as help_  # noqa: PLC0415  (these know this module)
    from . import memory, model, persona, settings, stop, why  # noqa: PLC0415

    files = (stop, persona, settings, model, memory, why, help_)
    return [command for file in files for command in file.build(services)]
