"""Every command of the bot is within what Discord takes, which only Discord would tell otherwise.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bot.commands.using import with_commands

NAME = re.compile(r"[-_'a-z0-9]{1,32}")


def parts(command: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The command, its groups, its commands and their options."""
    yield command
    for option in command.get("options") or ():
        yield from parts(option)


def size(command: dict[str, Any]) -> int:
    """Characters of all names, descriptions and values together."""
    total = 0
    for part in parts(command):
        total += len(part["name"]) + len(part.get("description", ""))
        total += sum(len(choice["name"]) + len(str(choice["value"])) for choice in part.get("choices") or ())
    return total


async def test_names_descriptions_choices_and_sizes_are_as_discord_wants_them() -> None:
    async with with_commands() as user:
        commands = [one for one in user.stage.twin.bot.commands.values() if one["type"] == 1]

    assert len(commands) >= 7
    for command in commands:
        for part in parts(command):
            assert NAME.fullmatch(part["name"]), part["name"]
            assert 1 <= len(part["description"]) <= 100, part["description"]
            assert len(part.get("options") or ()) <= 25
            assert len(part.get("choices") or ()) <= 25
            required = [option.get("required", False) for option in part.get("options") or ()]
            assert required == sorted(required, reverse=True), part["name"]
        assert size(command) <= 8000, command["name"]
