"""The bot's commands, one file each; every file has `build(services)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from discord import app_commands

from ..services import Services

__all__ = ["AnyCommand", "build_commands"]

AnyCommand: TypeAlias = "app_commands.Command[Any, Any, Any] | app_commands.ContextMenu | app_commands.Group"
Build: TypeAlias = Callable[[Services], Iterable[AnyCommand]]

BUILDERS: tuple[Build, ...] = ()


def build_commands(services: Services) -> list[AnyCommand]:
    """All commands of one bot."""
    return [command for build in BUILDERS for command in build(services)]
