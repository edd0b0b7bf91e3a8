"""Slash commands: sync, list, add, change, remove; for everybody or for one guild.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamcord._twin.rest.refusals import Refusal, invalid_form
from streamcord._twin.rest.routing import NO_CONTENT, Call, Reply, Route

if TYPE_CHECKING:
    from streamcord._twin.state.model import Json

__all__ = ["ROUTES"]

_CHAT_INPUT = 1
_NAME = re.compile(r"[-_'\w]{1,32}")
_MOST = 100


def _commands(call: Call) -> dict[int, Json]:
    if call.id("application_id", 10002) != call.bot.id:
        raise Refusal(50001, status=403)
    if "guild_id" not in call.ids:
        return call.bot.commands
    guild_id = call.id("guild_id", 10004)
    if guild_id not in call.state.guilds:
        raise Refusal(50001)
    return call.state.guild_commands.setdefault((call.bot.id, guild_id), {})


def _read(call: Call, raw: Json, path: str, command_id: int | None = None) -> Json:
    kind = raw.get("type") or _CHAT_INPUT
    name = str(raw.get("name", ""))
    if kind == _CHAT_INPUT and (not _NAME.fullmatch(name) or name != name.lower()):
        raise invalid_form(f"{path}name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if kind == _CHAT_INPUT and not 1 <= len(str(raw.get("description", ""))) <= 100:
        raise invalid_form(
            f"{path}description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."
        )
    made = command_id or call.state.make_id()
    defaults: Json = {
        "description": "",
        "options": [],
        "default_member_permissions": None,
        "dm_permission": True,
        "nsfw": False,
        "integration_types": [0],
        "contexts": None,
        "name_localizations": None,
        "description_localizations": None,
    }
    given = {key: value for key, value in raw.items() if value is not None}
    command = {**defaults, **given, "type": kind, "id": str(made), "application_id": str(call.bot.id)}
    if "guild_id" in call.ids:
        command["guild_id"] = call.ids["guild_id"]
    return {**command, "version": str(call.state.make_id())}


def _put(call: Call, raw: Json, path: str = "") -> Json:
    # A command of the same name and kind is replaced and keeps its id.
    commands = _commands(call)
    kind = raw.get("type") or _CHAT_INPUT
    same = (
        int(one["id"]) for one in commands.values() if (one["name"], one["type"]) == (raw.get("name"), kind)
    )
    command = _read(call, raw, path, next(same, None))
    commands[int(command["id"])] = command
    return command


def list_all(call: Call) -> Reply:
    """GET the commands."""
    return Reply(list(_commands(call).values()))


def overwrite(call: Call) -> Reply:
    """PUT all commands at once: what is not named is gone."""
    raw = call.form.payload
    if not isinstance(raw, list) or len(raw) > _MOST:
        raise invalid_form("commands", "BASE_TYPE_MAX_LENGTH", f"Must be {_MOST} or fewer in length.")
    commands = _commands(call)
    kept = {_put(call, one, f"{index}.")["id"] for index, one in enumerate(raw)}
    for command_id in [one for one in commands if str(one) not in kept]:
        del commands[command_id]
    return Reply(list(commands.values()))


def create(call: Call) -> Reply:
    """POST one command."""
    before = len(_commands(call))
    command = _put(call, call.payload)
    return Reply(command, status=201 if len(_commands(call)) > before else 200)


def _find(call: Call) -> Json:
    command = _commands(call).get(call.id("command_id", 10063))
    if command is None:
        raise Refusal(10063)
    return command


def read(call: Call) -> Reply:
    """GET one command."""
    return Reply(_find(call))


def change(call: Call) -> Reply:
    """PATCH one command."""
    command = _find(call)
    changed = _read(call, {**command, **call.payload}, "", int(command["id"]))
    _commands(call)[int(command["id"])] = changed
    return Reply(changed)


def delete(call: Call) -> Reply:
    """DELETE one command."""
    del _commands(call)[int(_find(call)["id"])]
    return NO_CONTENT


def _routes(base: str) -> tuple[Route, ...]:
    return (
        Route("commands.list", "GET", base, list_all),
        Route("commands.overwrite", "PUT", base, overwrite),
        Route("commands.create", "POST", base, create),
        Route("commands.get", "GET", base + "/{command_id}", read),
        Route("commands.edit", "PATCH", base + "/{command_id}", change),
        Route("commands.delete", "DELETE", base + "/{command_id}", delete),
    )


ROUTES = (
    *_routes("/applications/{application_id}/commands"),
    *_routes("/applications/{application_id}/guilds/{guild_id}/commands"),
)
