"""Slash commands: sync, list, add, change, remove; for every user or for one guild.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..errors import ApiError, invalid_form, nested
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..validation.commands import MENU_COMMAND, SLASH_COMMAND
from ..validation.schema import Problem
from ..validation.table import check, measure, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..state.models import Json

_NO_LIST = "Only iterables may be used in a ListType"
_CHAT_INPUT = 1
_USER_INSTALL = 1
_KINDS = frozenset({_CHAT_INPUT, 2, 3})
"""Slash commands, and those in the menu of a user or a message."""
_MAX_SLASH_COMMANDS = 100


def _commands(call: Call) -> dict[int, Json]:
    if call.id("application_id", 10002) != call.bot.id:
        raise ApiError(50001, status=403)
    # The same handlers serve global and guild commands.
    if "guild_id" not in call.ids:
        return call.bot.commands
    guild_id = call.id("guild_id", 10004)
    if guild_id not in call.state.guilds:
        raise ApiError(50001)
    return call.state.guild_commands.setdefault((call.bot.id, guild_id), {})


def _check(call: Call, raw: Json, path: tuple[str, ...]) -> Json:
    """Refuse a command that breaks a rule; return it with all values in their types."""
    if not isinstance(raw, dict):
        check(SLASH_COMMAND, raw, call.options, path)
    kind = raw.get("type") or _CHAT_INPUT
    if isinstance(kind, bool) or kind not in _KINDS:
        raise nested(invalid_form("type", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3)."), *path)
    read: Json = check(SLASH_COMMAND if kind == _CHAT_INPUT else MENU_COMMAND, raw, call.options, path)
    if _USER_INSTALL in (raw.get("integration_types") or ()) and not call.options.user_install:
        said = "The application cannot be installed by users."
        raise nested(invalid_form("integration_types", "BASE_TYPE_CHOICES", said), *path)
    return read


def _check_counts(call: Call, kinds: Iterable[int]) -> None:
    for kind, count in Counter(kinds).items():
        if count > (_MAX_SLASH_COMMANDS if kind == _CHAT_INPUT else call.options.max_menu_commands):
            raise ApiError(30032)


def _read(call: Call, raw: Json, path: tuple[str, ...], command_id: int | None = None) -> Json:
    kind = raw.get("type") or _CHAT_INPUT
    raw = _check(call, raw, path)
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
    # `null` means the default.
    given = {key: _without_nulls(value) for key, value in raw.items() if value is not None}
    if kind != _CHAT_INPUT:
        given |= {"options": [], "description": ""}
    command = {**defaults, **given, "type": kind, "id": str(made), "application_id": str(call.bot.id)}
    if "guild_id" in call.ids:
        command["guild_id"] = call.ids["guild_id"]
    # A client may send bits as a number; Discord shows them as a text.
    if command["default_member_permissions"] is not None:
        command["default_member_permissions"] = str(command["default_member_permissions"])
    return {**command, "version": str(call.state.make_id())}


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - a part of a command
    """Return options and choices without the fields that are null."""
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return value


def _put(call: Call, raw: Json, path: tuple[str, ...] = ()) -> Json:
    _check(call, raw, path)
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
    """PUT all commands at once; commands that are not in the list are deleted."""
    raw = call.form.payload
    commands = _commands(call)
    if not isinstance(raw, list):
        raise ApiError(50035, errors={"_errors": [{"code": "LIST_TYPE_CONVERT", "message": _NO_LIST}]})
    # Everything is validated before the first command is replaced.
    refuse(_all_problems(call, raw))
    _check_counts(call, [one.get("type") or _CHAT_INPUT for one in raw])
    kept = {_put(call, one, (str(index),))["id"] for index, one in enumerate(raw)}
    for command_id in [one for one in commands if str(one) not in kept]:
        del commands[command_id]
    return Reply(list(commands.values()))


def _all_problems(call: Call, commands: list[Any]) -> Iterator[Problem]:
    """Yield the problems of each command, and duplicate names; one problem refuses the whole list."""
    seen: set[tuple[object, object]] = set()
    for index, one in enumerate(commands):
        kind = one.get("type") or _CHAT_INPUT if isinstance(one, dict) else _CHAT_INPUT
        rules = SLASH_COMMAND if kind == _CHAT_INPUT else MENU_COMMAND
        yield from rules.validate(one, (str(index),), lambda text: measure(text, call.options))
        if not isinstance(one, dict):
            continue
        if (kind, one.get("name")) in seen:
            message = "Application command names must be unique"
            yield Problem((str(index),), "APPLICATION_COMMANDS_DUPLICATE_NAME", message)
        seen.add((kind, one.get("name")))


def create(call: Call) -> Reply:
    """POST one command."""
    before = len(_commands(call))
    command = _put(call, call.payload)
    _check_counts(call, [one["type"] for one in _commands(call).values()])
    # 200 says that a command of this name was replaced.
    return Reply(command, status=201 if len(_commands(call)) > before else 200)


def _find(call: Call) -> Json:
    command = _commands(call).get(call.id("command_id", 10063))
    if command is None:
        raise ApiError(10063)
    return command


def read(call: Call) -> Reply:
    """GET one command."""
    return Reply(_find(call))


def change(call: Call) -> Reply:
    """PATCH one command."""
    command = _find(call)
    changed = _read(call, {**command, **call.payload}, (), int(command["id"]))
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


def list_permissions(call: Call) -> Reply:
    """GET who may use the commands of a guild; nothing is set here."""
    _commands(call)
    return Reply([])


_IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"

ROUTES = (
    *_routes("/applications/{application_id}/commands"),
    Route("commands.permissions", "GET", _IN_GUILD + "/permissions", list_permissions),
    *_routes(_IN_GUILD),
)
