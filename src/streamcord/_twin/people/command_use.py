"""Using commands: what a client offers for each option, and what it sends.

https://docs.discord.com/developers/interactions/application-commands#application-command-object
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.model import Channel, ChannelType, Role, User
from ..state.permissions import Permission
from .offers import NotOffered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..state.model import Application, Json
    from ..world import World
    from .resolved import Resolved

__all__ = ["fill_options", "find_command"]

_STRING, _INTEGER, _BOOLEAN, _USER, _CHANNEL, _ROLE, _MENTIONABLE, _NUMBER, _FILE = range(3, 12)
_TYPES: dict[int, tuple[type, ...]] = {
    _STRING: (str,),
    _INTEGER: (int,),
    _BOOLEAN: (bool,),
    _USER: (User,),
    _CHANNEL: (Channel,),
    _ROLE: (Role,),
    _MENTIONABLE: (User, Role),
    _NUMBER: (int, float),
    _FILE: (tuple,),
}
_LONGEST = 6000


def find_command(
    world: World, channel: Channel, user: User, name: str, type_: int
) -> tuple[Application, Json]:
    """The command that a person finds under a name, in this place."""
    state = world.state
    for application in state.applications.values():
        local = state.guild_commands.get((application.id, channel.guild_id or 0), {})
        for command in (*local.values(), *application.commands.values()):
            if command["name"] == name and command["type"] == type_:
                _need_offer(world, channel, user, command)
                return application, command
    raise NotOffered(f"no bot has a command {name!r}")


def _need_offer(world: World, channel: Channel, user: User, command: Json) -> None:
    name = command["name"]
    granted = world.state.permissions(user, channel)
    if channel.guild_id is None:
        contexts = command.get("contexts")
        if command.get("dm_permission") is False or (contexts is not None and 1 not in contexts):
            raise NotOffered(f"the command {name!r} is not offered in direct messages")
        return
    if not granted & Permission.USE_APPLICATION_COMMANDS:
        raise NotOffered(f"{user.name} may not use commands in #{channel.name}")
    needed = command.get("default_member_permissions")
    if needed is not None and (not int(needed) or int(granted) & int(needed) != int(needed)):
        raise NotOffered(f"the command {name!r} is hidden from {user.name}")
    if command.get("nsfw") and not world.state.home_of(channel).nsfw:
        raise NotOffered(f"the command {name!r} is offered in age-restricted channels only")


def fill_options(
    command: Json,
    path: list[str],
    options: Mapping[str, object],
    resolved: Resolved,
    *,
    typing: str | None = None,
) -> list[Json]:
    """The options of a command as the client sends them; `typing` is one that is not finished yet."""
    known: dict[str, Json] = {one["name"]: one for one in command.get("options") or ()}
    if path:
        sub = known.get(path[0])
        if sub is None or sub["type"] > 2:
            raise NotOffered(f"{command['name']!r} has no sub-command {path[0]!r}")
        inner = fill_options(sub, path[1:], options, resolved, typing=typing)
        return [{"name": sub["name"], "type": sub["type"], "options": inner}]
    if any(one["type"] <= 2 for one in known.values()):
        raise NotOffered(f"{command['name']!r} is used through its sub-commands: {', '.join(known)}")
    for name in options:
        if name not in known:
            raise NotOffered(f"{command['name']!r} has no option {name!r}")
    missing = [name for name, one in known.items() if one.get("required") and name not in options]
    if missing and typing is None:
        raise NotOffered(f"{command['name']!r} cannot be sent without {', '.join(missing)}")
    return [_fill(known[name], value, resolved, is_typed=name == typing) for name, value in options.items()]


def _fill(option: Json, value: object, resolved: Resolved, *, is_typed: bool) -> Json:
    filled: Json = {"name": option["name"], "type": option["type"]}
    if is_typed:
        # What is half typed goes out as it is, whatever its kind.
        return {**filled, "value": str(value), "focused": True}
    _check(option, value)
    if isinstance(value, User | Role | Channel):
        return {**filled, "value": resolved.add(value)}
    if isinstance(value, tuple):
        name, content = value
        return {**filled, "value": resolved.add_file(str(name), bytes(content))}
    return {**filled, "value": value}


def _check(option: Json, value: object) -> None:
    name, kinds = option["name"], _TYPES[option["type"]]
    is_other = isinstance(value, bool) and option["type"] != _BOOLEAN
    if not isinstance(value, kinds) or is_other:
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise NotOffered(f"the option {name!r} takes {wanted}, not {type(value).__name__}")
    choices = [one["value"] for one in option.get("choices") or ()]
    if choices and value not in choices:
        raise NotOffered(f"the option {name!r} offers {choices}, not {value!r}")
    if isinstance(value, str):
        _check_range(name, "characters", len(value), option.get("min_length"), option.get("max_length"))
        if not value or len(value) > _LONGEST:
            raise NotOffered(f"the option {name!r} takes 1 to {_LONGEST} characters")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(name, "", value, option.get("min_value"), option.get("max_value"))
    types = option.get("channel_types")
    if types and isinstance(value, Channel) and value.type not in [ChannelType(one) for one in types]:
        raise NotOffered(f"the option {name!r} does not offer a channel of type {int(value.type)}")


def _check_range(name: str, what: str, value: float, least: float | None, most: float | None) -> None:
    if (least is not None and value < least) or (most is not None and value > most):
        raise NotOffered(f"the option {name!r} takes {least} to {most} {what}".rstrip())
