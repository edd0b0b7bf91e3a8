"""Suggest values while a user types an option of a command.

https://docs.discord.com/developers/interactions/application-commands#autocomplete
"""

from __future__ import annotations

from discord import app_commands

CHOICE_CAP = 25
"""Choices that Discord accepts for an autocompletion."""


def choices(names: list[str], current: str) -> list[app_commands.Choice[str]]:
    """Return suggestions for typed text: names that begin with it, then names that contain it."""
    typed = current.strip().casefold()
    found = [name for name in names if typed in name.casefold()]
    found.sort(key=lambda name: not name.casefold().startswith(typed))
    return [app_commands.Choice(name=name[:100], value=name[:100]) for name in found[:CHOICE_CAP]]
