"""Pressing buttons, choosing from menus, filling in modals: what a client offers, and what it sends.

https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..rules.component_rules import walk
from ..state.model import Channel, Json, Role, User
from .offers import NotOffered

if TYPE_CHECKING:
    from ..state.state import State
    from .resolved import Resolved

__all__ = ["choose", "fill_modal", "find_component"]

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
    """The component of a message that a person can use under this id."""
    found = next((one for one in walk(components) if one.get("custom_id") == custom_id), None)
    if found is None:
        raise NotOffered(f"the message has no component {custom_id!r}")
    if found.get("disabled"):
        raise NotOffered(f"the component {custom_id!r} is disabled")
    return found


def choose(component: Json, values: Sequence[Any] | None, resolved: Resolved, state: State) -> Json:
    """What is sent of a pressed button or a menu."""
    said: Json = {"custom_id": component["custom_id"], "component_type": component["type"]}
    said["id"] = component.get("id", 1)
    if component["type"] == _BUTTON:
        if values is not None:
            raise NotOffered("a button has nothing to choose from")
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
            raise NotOffered(f"{name!r} offers {offered}, not {value!r}")
    return [str(value) for value in values]


def _check_count(name: str, count: int, least: int | None, most: int | None, component: Json) -> None:
    optional = component.get("required") is False
    fewest, largest = 1 if least is None else least, 1 if most is None else most
    if optional and count == 0:
        return
    if not fewest <= count <= largest:
        raise NotOffered(f"{name!r} takes {fewest} to {largest} values, not {count}")


def _entity(component: Json, value: Any, state: State) -> User | Role | Channel:  # noqa: ANN401 - from a test
    wanted = _ENTITIES[component["type"]]
    found = _by_id(state, int(value)) if isinstance(value, str | int) else value
    if not isinstance(found, User | Role | Channel) or not isinstance(found, wanted):
        names = " or ".join(kind.__name__ for kind in wanted)
        raise NotOffered(f"{component['custom_id']!r} offers {names}, not {value!r}")
    types = component.get("channel_types")
    if types and isinstance(found, Channel) and int(found.type) not in types:
        raise NotOffered(f"{component['custom_id']!r} does not offer a channel of type {int(found.type)}")
    return found


def _by_id(state: State, number: int) -> User | Role | Channel | None:
    roles = (guild.roles[number] for guild in state.guilds.values() if number in guild.roles)
    return state.users.get(number) or state.channels.get(number) or next(roles, None)


# Modals


def fill_modal(shown: Json, values: Mapping[str, Any], resolved: Resolved, state: State) -> Json:
    """A modal as it is sent back: every field that it has, filled or left empty."""
    fields = {one["custom_id"] for one in _fields(shown["components"])}
    for name in values:
        if name not in fields:
            raise NotOffered(f"the modal has no field {name!r}, but {sorted(fields)}")
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
    if kind == _CHECKBOXES:
        field = {"max_values": len(field["options"]), **field}
    return {**filled, "values": _chosen(field, given, resolved, state)}


def _defaults(field: Json) -> list[str]:
    return [option["value"] for option in field.get("options") or () if option.get("default")]


def _typed(field: Json, value: object) -> str:
    text = str(field.get("value") or "") if value is None else str(value)
    least, most = field.get("min_length") or 0, field.get("max_length") or 4000
    if not text and field.get("required", True):
        raise NotOffered(f"the field {field['custom_id']!r} is required")
    if text and not least <= len(text) <= most:
        raise NotOffered(f"the field {field['custom_id']!r} takes {least} to {most} characters")
    return text


def _picked(field: Json, value: object) -> object:
    given = value if value is not None else next(iter(_defaults(field)), None)
    if given is None and field.get("required", True):
        raise NotOffered(f"one of {field['custom_id']!r} must be picked")
    if given is not None and given not in [option["value"] for option in field["options"]]:
        raise NotOffered(f"{field['custom_id']!r} has no option {given!r}")
    return given
