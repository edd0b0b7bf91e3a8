"""Using commands, buttons, menus and modals: what a client offers, and what it sends.

https://docs.discord.com/developers/interactions/application-commands#application-command-object
https://docs.discord.com/developers/components/reference
https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from ..state.enums import ChannelType
from ..state.message_serializers import serialize_attachment, serialize_message
from ..state.models import Channel, Json, Message, Role, User
from ..state.permissions import Permission
from ..state.serializers import serialize_channel, serialize_member, serialize_role, serialize_user
from ..validation.components import walk
from .fake_user import ActionUnavailable, make_attachment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..context import Context
    from ..state.models import Application, Json
    from ..state.state import State


class OptionType(IntEnum):
    """What the value of an option is.

    https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type
    """

    STRING = 3
    INTEGER = 4
    BOOLEAN = 5
    USER = 6
    CHANNEL = 7
    ROLE = 8
    MENTIONABLE = 9
    NUMBER = 10
    FILE = 11


_TYPES: dict[int, tuple[type, ...]] = {
    OptionType.STRING: (str,),
    OptionType.INTEGER: (int,),
    OptionType.BOOLEAN: (bool,),
    OptionType.USER: (User,),
    OptionType.CHANNEL: (Channel,),
    OptionType.ROLE: (Role,),
    OptionType.MENTIONABLE: (User, Role),
    OptionType.NUMBER: (int, float),
    OptionType.FILE: (tuple,),
}
_MAX_TEXT_CHARS = 6000
_IN_GUILD, _WITH_BOT, _AMONG_PEOPLE = range(3)
_PLACES = ("in servers", "in direct messages", "among other users")


def find_command(
    context: Context, channel: Channel, user: User, name: str, type_: int
) -> tuple[Application, Json]:
    """Return the command that a user finds under a name, in this channel."""
    state = context.state
    for application in state.applications.values():
        local = state.guild_commands.get((application.id, channel.guild_id or 0), {})
        for command in (*local.values(), *application.commands.values()):
            # Commands of the guild come first and hide global ones.
            if command["name"] == name and command["type"] == type_:
                _need_offer(context, application, channel, user, command)
                return application, command
    raise ActionUnavailable(f"no bot has a command {name!r}")


def context_of(application: Application, channel: Channel) -> int:
    """Return where a command is used: in a guild, in direct messages with the bot, or among other users."""
    if channel.guild_id is not None:
        return _IN_GUILD
    is_own = channel.type is ChannelType.DM and application.user in channel.recipients
    return _WITH_BOT if is_own else _AMONG_PEOPLE


def owners_of(state: State, application: Application, channel: Channel, user: User) -> dict[str, str]:
    """Return the installations that apply: of the guild (0 in direct messages with the bot), of the user, or both."""
    owners: dict[str, str] = {}
    guild = state.guilds.get(channel.guild_id or 0)
    if context_of(application, channel) == _WITH_BOT or (guild and application.user.id in guild.members):
        owners["0"] = str(channel.guild_id or 0)
    if user.id in application.installed_by:
        owners["1"] = str(user.id)
    return owners


def offered_commands(context: Context, channel: Channel, user: User) -> list[tuple[Application, Json]]:
    """Return every command that a user finds in this channel; one of the server hides a global one of its name."""
    found: dict[tuple[int, str, int], tuple[Application, Json]] = {}
    for application in context.state.applications.values():
        local = context.state.guild_commands.get((application.id, channel.guild_id or 0), {})
        for command in (*local.values(), *application.commands.values()):
            try:
                _need_offer(context, application, channel, user, command)
            except ActionUnavailable:
                continue
            found.setdefault((application.id, command["name"], command["type"]), (application, command))
    return [*found.values()]


def find_option_types(context: Context, channel: Channel, user: User, name: str) -> dict[str, int]:
    """Return the types of a slash command's options by their names; sub-commands are words of its name."""
    first, *rest = name.split() or [""]
    level: list[Json] = []
    for _, command in offered_commands(context, channel, user):
        if command["name"] == first and command["type"] == 1:
            level = command.get("options") or []
    for word in rest:
        level = next((one.get("options") or [] for one in level if one["name"] == word), [])
    return {one["name"]: one["type"] for one in level}


def _need_offer(
    context: Context, application: Application, channel: Channel, user: User, command: Json
) -> None:
    name = command["name"]
    granted = context.state.permissions(user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise ActionUnavailable(f"{user.name} does not see #{channel.name or channel.id}")
    owners = owners_of(context.state, application, channel, user)
    if not any(str(kind) in owners for kind in command.get("integration_types") or (0,)):
        raise ActionUnavailable(f"the command {name!r} is not installed here or for {user.name}")
    # `dm_permission` is the older field; both may forbid the place.
    contexts, place = command.get("contexts"), context_of(application, channel)
    private = place != _IN_GUILD
    if (contexts is not None and place not in contexts) or (
        private and command.get("dm_permission") is False
    ):
        raise ActionUnavailable(f"the command {name!r} is not offered {_PLACES[place]}")
    if private:
        return
    if not granted & Permission.USE_APPLICATION_COMMANDS:
        raise ActionUnavailable(f"{user.name} may not use commands in #{channel.name}")
    # "0" hides a command from everyone but administrators.
    needed = command.get("default_member_permissions")
    if needed is not None and (not int(needed) or int(granted) & int(needed) != int(needed)):
        raise ActionUnavailable(f"the command {name!r} is hidden from {user.name}")
    if command.get("nsfw") and not context.state.home_of(channel).nsfw:
        raise ActionUnavailable(f"the command {name!r} is offered in age-restricted channels only")


def fill_options(
    command: Json,
    path: list[str],
    options: Mapping[str, object],
    resolved: Resolved,
    *,
    typing: str | None = None,
) -> list[Json]:
    """Return the options of a command as the client sends them; `typing` is one that is not finished yet."""
    known: dict[str, Json] = {one["name"]: one for one in command.get("options") or ()}
    if path:
        sub = known.get(path[0])
        # Types 1 and 2 are sub-commands and groups.
        if sub is None or sub["type"] > 2:
            raise ActionUnavailable(f"{command['name']!r} has no sub-command {path[0]!r}")
        inner = fill_options(sub, path[1:], options, resolved, typing=typing)
        return [{"name": sub["name"], "type": sub["type"], "options": inner}]
    if any(one["type"] <= 2 for one in known.values()):
        raise ActionUnavailable(f"{command['name']!r} is used through its sub-commands: {', '.join(known)}")
    for name in options:
        if name not in known:
            raise ActionUnavailable(f"{command['name']!r} has no option {name!r}")
    missing = [name for name, one in known.items() if one.get("required") and name not in options]
    # Autocomplete runs before the required options are filled.
    if missing and typing is None:
        raise ActionUnavailable(f"{command['name']!r} cannot be sent without {', '.join(missing)}")
    return [_fill(known[name], value, resolved, is_typed=name == typing) for name, value in options.items()]


def _fill(option: Json, value: object, resolved: Resolved, *, is_typed: bool) -> Json:
    filled: Json = {"name": option["name"], "type": option["type"]}
    if is_typed:
        # An unfinished option is sent as text, whatever its type.
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
    # `bool` is a subclass of `int`.
    is_other = isinstance(value, bool) and option["type"] != OptionType.BOOLEAN
    if not isinstance(value, kinds) or is_other:
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise ActionUnavailable(f"the option {name!r} takes {wanted}, not {type(value).__name__}")
    choices = [one["value"] for one in option.get("choices") or ()]
    if choices and value not in choices:
        raise ActionUnavailable(f"the option {name!r} offers {choices}, not {value!r}")
    if isinstance(value, str):
        _check_range(name, "characters", len(value), option.get("min_length"), option.get("max_length"))
        if not value or len(value) > _MAX_TEXT_CHARS:
            raise ActionUnavailable(f"the option {name!r} takes 1 to {_MAX_TEXT_CHARS} characters")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(name, "", value, option.get("min_value"), option.get("max_value"))
    types = option.get("channel_types")
    if types and isinstance(value, Channel) and value.type not in [ChannelType(one) for one in types]:
        raise ActionUnavailable(f"the option {name!r} does not offer a channel of type {int(value.type)}")


def _check_range(name: str, what: str, value: float, minimum: float | None, maximum: float | None) -> None:
    if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        raise ActionUnavailable(f"the option {name!r} takes {minimum} to {maximum} {what}".rstrip())


_BUTTON, _STRING_SELECT, _TEXT_INPUT = 2, 3, 4
_USERS, _ROLES, _MENTIONABLES, _CHANNELS = 5, 6, 7, 8
_TEXT_DISPLAY, _LABEL, _UPLOAD, _RADIO, _CHECKBOXES, _CHECKBOX = 10, 18, 19, 21, 22, 23
_LINK = 5
_ENTITIES: dict[int, tuple[type, ...]] = {
    _USERS: (User,),
    _ROLES: (Role,),
    _MENTIONABLES: (User, Role),
    _CHANNELS: (Channel,),
}


def find_component(components: Sequence[Json], custom_id: str) -> Json:
    """Return the component of a message that a user can use under this id."""
    found = next((one for one in walk(components) if one.get("custom_id") == custom_id), None)
    if found is None:
        raise ActionUnavailable(f"the message has no component {custom_id!r}")
    if found.get("disabled"):
        raise ActionUnavailable(f"the component {custom_id!r} is disabled")
    return found


def choose(component: Json, values: Sequence[Any] | None, resolved: Resolved, state: State) -> Json:
    """Return the data of a pressed button or of a menu."""
    said: Json = {"custom_id": component["custom_id"], "component_type": component["type"]}
    said["id"] = component.get("id", 1)
    if component["type"] == _BUTTON:
        if values is not None:
            raise ActionUnavailable("a button has nothing to choose from")
        return said
    return {**said, "values": _chosen(component, values or (), resolved, state)}


def _chosen(component: Json, values: Sequence[Any], resolved: Resolved, state: State) -> list[str]:
    name = component["custom_id"]
    _check_count(name, len(values), component.get("min_values"), component.get("max_values"), component)
    if component["type"] in _ENTITIES:
        return [resolved.add(_entity(component, value, state)) for value in values]
    offered = [option["value"] for option in component["options"]]
    for value in values:
        if value not in offered:
            raise ActionUnavailable(f"{name!r} offers {offered}, not {value!r}")
    return [str(value) for value in values]


def _check_count(name: str, count: int, minimum: int | None, maximum: int | None, component: Json) -> None:
    optional = component.get("required") is False
    fewest, largest = 1 if minimum is None else minimum, 1 if maximum is None else maximum
    # A field that is not required may stay empty, whatever its minimum.
    if optional and count == 0:
        return
    if not fewest <= count <= largest:
        raise ActionUnavailable(f"{name!r} takes {fewest} to {largest} values, not {count}")


def _entity(component: Json, value: Any, state: State) -> User | Role | Channel:  # noqa: ANN401 - from a test
    wanted = _ENTITIES[component["type"]]
    found = _by_id(state, int(value)) if isinstance(value, str | int) else value
    if not isinstance(found, User | Role | Channel) or not isinstance(found, wanted):
        names = " or ".join(kind.__name__ for kind in wanted)
        raise ActionUnavailable(f"{component['custom_id']!r} offers {names}, not {value!r}")
    types = component.get("channel_types")
    if types and isinstance(found, Channel) and int(found.type) not in types:
        raise ActionUnavailable(
            f"{component['custom_id']!r} does not offer a channel of type {int(found.type)}"
        )
    return found


def _by_id(state: State, number: int) -> User | Role | Channel | None:
    roles = (guild.roles[number] for guild in state.guilds.values() if number in guild.roles)
    return state.users.get(number) or state.channels.get(number) or next(roles, None)


# Modals


def fill_modal(shown: Json, values: Mapping[str, Any], resolved: Resolved, state: State) -> Json:
    """Return a modal as it is sent back: every field that it has, filled or left empty."""
    fields = {one["custom_id"] for one in _fields(shown["components"])}
    for name in values:
        if name not in fields:
            raise ActionUnavailable(f"the modal has no field {name!r}, but {sorted(fields)}")
    rows = [
        _fill_row(row, index, values, resolved, state) for index, row in enumerate(shown["components"], 1)
    ]
    return {"custom_id": shown["custom_id"], "components": rows}


def _fields(components: Sequence[Json]) -> Iterator[Json]:
    return (one for one in walk(components) if "custom_id" in one)


def _fill_row(row: Json, index: int, values: Mapping[str, Any], resolved: Resolved, state: State) -> Json:
    filled: Json = {"type": row["type"], "id": row.get("id") or index}
    if row["type"] == _TEXT_DISPLAY:
        return filled
    if row["type"] == _LABEL:
        return {**filled, "component": _fill_field(row["component"], index, values, resolved, state)}
    inner = [_fill_field(one, index, values, resolved, state) for one in row["components"]]
    return {**filled, "components": inner}


def _fill_field(field: Json, index: int, values: Mapping[str, Any], resolved: Resolved, state: State) -> Json:
    name, kind = field["custom_id"], field["type"]
    filled: Json = {"type": kind, "id": field.get("id") or 100 + index, "custom_id": name}
    value = values.get(name)
    if kind == _TEXT_INPUT:
        return {**filled, "value": _typed(field, value)}
    if kind == _RADIO:
        return {**filled, "value": _picked(field, value)}
    if kind == _CHECKBOX:
        return {**filled, "value": bool(field.get("default")) if value is None else bool(value)}
    given = list(value if value is not None else _defaults(field))
    if kind == _UPLOAD:
        _check_count(name, len(given), field.get("min_values"), field.get("max_values"), field)
        return {**filled, "values": [resolved.add_file(*file) for file in given]}
    # Without max_values all boxes may be checked.
    if kind == _CHECKBOXES:
        field = {"max_values": len(field["options"]), **field}
    return {**filled, "values": _chosen(field, given, resolved, state)}


def _defaults(field: Json) -> list[str]:
    return [option["value"] for option in field.get("options") or () if option.get("default")]


def _typed(field: Json, value: object) -> str:
    text = str(field.get("value") or "") if value is None else str(value)
    minimum, maximum = field.get("min_length") or 0, field.get("max_length") or 4000
    if not text and field.get("required", True):
        raise ActionUnavailable(f"the field {field['custom_id']!r} is required")
    if text and not minimum <= len(text) <= maximum:
        raise ActionUnavailable(f"the field {field['custom_id']!r} takes {minimum} to {maximum} characters")
    return text


def _picked(field: Json, value: object) -> object:
    given = value if value is not None else next(iter(_defaults(field)), None)
    if given is None and field.get("required", True):
        raise ActionUnavailable(f"one of {field['custom_id']!r} must be picked")
    if given is not None and given not in [option["value"] for option in field["options"]]:
        raise ActionUnavailable(f"{field['custom_id']!r} has no option {given!r}")
    return given


_CLIENT_BITS = (1 << 53) - 1


class Resolved:
    """Collects the users, roles, channels, messages and files that are named: `resolved`."""

    def __init__(self, context: Context, channel: Channel, user: User) -> None:
        self._context = context
        self._channel = channel
        self._user = user
        self.shape: Json = {}

    def add(self, value: User | Role | Channel | Message) -> str:
        """Name something; its id."""
        state, key = self._context.state, str(value.id)
        if isinstance(value, User):
            self._put("users", key, serialize_user(value))
            self._add_member(value)
        elif isinstance(value, Role):
            self._put("roles", key, serialize_role(value))
        elif isinstance(value, Channel):
            granted = self._permissions(self._user, value)
            self._put("channels", key, {**serialize_channel(value), "permissions": granted})
        else:
            self._put("messages", key, serialize_message(state, value))
        return key

    def _add_member(self, user: User) -> None:
        guild = self._context.state.guilds.get(self._channel.guild_id or 0)
        member = guild.members.get(user.id) if guild else None
        if member is not None:
            shape = serialize_member(member, with_user=False)
            # Resolved members lack these two fields.
            for name in ("deaf", "mute"):
                del shape[name]
            self._put(
                "members", str(user.id), {**shape, "permissions": self._permissions(user, self._channel)}
            )

    def _permissions(self, user: User, channel: Channel) -> str:
        return str(int(self._context.state.permissions(user, channel)) & _CLIENT_BITS)

    def add_file(self, name: str, content: bytes) -> str:
        """Name a file that belongs to no message yet; its id."""
        state, file = self._context.state, make_attachment(self._context, name, content)
        state.uploads[file.id] = file
        shape = serialize_attachment(state, 0, file)
        self._put("attachments", str(file.id), {**shape, "ephemeral": True})
        return str(file.id)

    def _put(self, kind: str, key: str, shape: Json) -> None:
        self.shape.setdefault(kind, {})[key] = shape
