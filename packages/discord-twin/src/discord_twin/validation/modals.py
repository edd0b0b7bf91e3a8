"""Modals: labels with inputs, selects, uploads, radio groups and checkboxes.

https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal
"""

from __future__ import annotations

from collections.abc import Iterator

from ..state.models import Json
from .components import CHOICES, DEFAULT_VALUE, SELECT_FIELDS, SELECT_OPTION, TEXT_DISPLAY, walk_paths
from .schema import (
    CrossFieldRule,
    Field,
    Flag,
    ListOf,
    Object,
    OneOf,
    Path,
    Problem,
    Required,
    TextField,
    Typed,
    WholeNumber,
)

_DOCS = "https://docs.discord.com/developers/components/reference"
_RESPONSE = "https://docs.discord.com/developers/interactions/receiving-and-responding"
_CUSTOM_ID = Required(TextField(1, 100, trim=False))
# Modal components are required by default.
_ID: dict[str, Field] = {"id": WholeNumber(0, 2**31 - 1), "required": Flag()}


def _lengths(text: Json, path: Path) -> Iterator[Problem]:
    minimum, maximum = text.get("min_length") or 0, text.get("max_length") or 4000
    if int(minimum) > int(maximum):
        said = f"min_length value should be less than or equal to {maximum}."
        yield Problem((*path, "min_length"), "NUMBER_TYPE_MAX", said)
    if len(str(text.get("value") or "")) > int(maximum):
        yield Problem((*path, "value"), "BASE_TYPE_MAX_LENGTH", f"Must be {maximum} or fewer in length.")


_INPUT: dict[str, Field] = {
    **_ID,
    "custom_id": _CUSTOM_ID,
    "style": Required(OneOf((1, 2))),
    "min_length": WholeNumber(0, 4000),
    "max_length": WholeNumber(1, 4000),
    "value": TextField(maximum=4000, trim=False),
    "placeholder": TextField(maximum=100),
}
_LENGTHS = CrossFieldRule("min_length is not above max_length, and the value fits", _lengths)
TEXT_INPUT = Object("text input in a label", f"{_DOCS}#text-input", _INPUT, (_LENGTHS,))
# The older form: a text input in a row has its label itself.
ROW_INPUT = Object(
    "text input in a row", f"{_DOCS}#text-input", {**_INPUT, "label": Required(TextField(1, 45))}, (_LENGTHS,)
)
INPUT_ROW = Object(
    "row of a modal",
    f"{_DOCS}#action-row",
    {"components": Required(ListOf(Typed("text input", {4: ROW_INPUT}), 1, 1))},
)


# The same select may be disabled in a message.
def _enabled(select: Json, path: Path) -> Iterator[Problem]:
    if select.get("disabled"):
        said = "Components in a modal cannot be disabled"
        yield Problem((*path, "disabled"), "COMPONENT_DISABLED_IN_MODAL", said)


def _required_needs_one(select: Json, path: Path) -> Iterator[Problem]:
    if select.get("required", True) and select.get("min_values") == 0:
        said = "min_values must be at least 1 when the component is required"
        yield Problem((*path, "min_values"), "NUMBER_TYPE_MIN", said)


_NOT_DISABLED = CrossFieldRule("never disabled", _enabled)
_NEEDS_ONE = CrossFieldRule("a required one has min_values of at least 1", _required_needs_one)
MODAL_SELECT = Object(
    "string select in a modal",
    f"{_DOCS}#string-select",
    {**SELECT_FIELDS, **_ID, "options": Required(ListOf(SELECT_OPTION, 1, 25))},
    (CHOICES, _NOT_DISABLED, _NEEDS_ONE),
)
MODAL_ENTITY_SELECT = Object(
    "select of users, roles, mentionables or channels in a modal",
    f"{_DOCS}#user-select",
    {**SELECT_FIELDS, **_ID, "default_values": ListOf(DEFAULT_VALUE, 0, 25)},
    (CHOICES, _NOT_DISABLED, _NEEDS_ONE),
)


def _file_counts(upload: Json, path: Path) -> Iterator[Problem]:
    minimum, maximum = upload.get("min_values"), upload.get("max_values") or 1
    if minimum is not None and int(minimum) > int(maximum):
        said = f"min_values value should be less than or equal to {maximum}."
        yield Problem((*path, "min_values"), "NUMBER_TYPE_MAX", said)


FILE_UPLOAD = Object(
    "file upload",
    f"{_DOCS}#file-upload",
    {
        **_ID,
        "custom_id": _CUSTOM_ID,
        "min_values": WholeNumber(0, 10),
        "max_values": WholeNumber(1, 10),
        "file_types": ListOf(TextField(1, 32), 0, 10),
    },
    (CrossFieldRule("min_values is not above max_values", _file_counts), _NEEDS_ONE),
)
GROUP_OPTION = Object(
    "option of a radio or checkbox group",
    f"{_DOCS}#radio-group",
    {
        "value": Required(TextField(1, 100, trim=False)),
        "label": Required(TextField(1, 100)),
        "description": TextField(maximum=100),
        "default": Flag(),
    },
)


def _values_differ(group: Json, path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, option in enumerate(group["options"]):
        if option["value"] in seen:
            code = "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"
            said = "The specified option value is already used"
            yield Problem((*path, "options", str(index), "value"), code, said)
        seen.add(option["value"])


def _one_default(group: Json, path: Path) -> Iterator[Problem]:
    if sum(bool(option.get("default")) for option in group["options"]) > 1:
        code = "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"
        said = "The specified number of default values exceeds the specified maximum values"
        yield Problem((*path, "options"), code, said)


_DIFFER = CrossFieldRule("values differ", _values_differ)
RADIO_GROUP = Object(
    "radio group",
    f"{_DOCS}#radio-group",
    {**_ID, "custom_id": _CUSTOM_ID, "options": Required(ListOf(GROUP_OPTION, 2, 10))},
    (_DIFFER, CrossFieldRule("one default at most", _one_default)),
)


def _group_counts(group: Json, path: Path) -> Iterator[Problem]:
    count = len(group["options"])
    for name in ("min_values", "max_values"):
        if group.get(name) is not None and int(group[name]) > count:
            said = f"{name} value should be less than or equal to {count}."
            yield Problem((*path, name), "NUMBER_TYPE_MAX", said)


CHECKBOX_GROUP = Object(
    "checkbox group",
    f"{_DOCS}#checkbox-group",
    {
        **_ID,
        "custom_id": _CUSTOM_ID,
        "options": Required(ListOf(GROUP_OPTION, 1, 10)),
        "min_values": WholeNumber(0, 10),
        "max_values": WholeNumber(1, 10),
    },
    (
        _DIFFER,
        CrossFieldRule("min_values and max_values are not above the number of options", _group_counts),
        _NEEDS_ONE,
    ),
)
CHECKBOX = Object(
    "checkbox",
    f"{_DOCS}#checkbox",
    {"id": WholeNumber(0, 2**31 - 1), "custom_id": _CUSTOM_ID, "default": Flag()},
)
# Component types that a label can hold.
_IN_LABEL: dict[int, Field] = {
    3: MODAL_SELECT,
    4: TEXT_INPUT,
    **dict.fromkeys((5, 6, 7, 8), MODAL_ENTITY_SELECT),
    19: FILE_UPLOAD,
    21: RADIO_GROUP,
    22: CHECKBOX_GROUP,
    23: CHECKBOX,
}
LABEL = Object(
    "label",
    f"{_DOCS}#label",
    {
        "label": Required(TextField(1, 45)),
        "description": TextField(maximum=100),
        "component": Required(Typed("component of a label", _IN_LABEL)),
    },
)


def _custom_ids_differ(modal: Json, path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for here, one in walk_paths(modal["components"], (*path, "components")):
        if one.get("custom_id") in seen:
            said = "Component custom id cannot be duplicated"
            yield Problem((*here, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", said)
        if one.get("custom_id"):
            seen.add(one["custom_id"])


MODAL = Object(
    "modal",
    f"{_RESPONSE}#interaction-response-object-modal",
    {
        "custom_id": _CUSTOM_ID,
        "title": Required(TextField(1, 45)),
        "components": Required(
            ListOf(Typed("row, label or text", {1: INPUT_ROW, 10: TEXT_DISPLAY, 18: LABEL}), 1, 5)
        ),
    },
    (CrossFieldRule("every custom_id only once", _custom_ids_differ),),
)
OBJECTS = (
    MODAL, LABEL, INPUT_ROW, ROW_INPUT, TEXT_INPUT, MODAL_SELECT, MODAL_ENTITY_SELECT, FILE_UPLOAD,
    RADIO_GROUP, CHECKBOX_GROUP, GROUP_OPTION, CHECKBOX,
)  # fmt: skip
