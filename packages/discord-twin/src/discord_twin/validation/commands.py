"""Commands of an application and their options.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..state.models import Json
from .schema import (
    CrossFieldRule,
    Field,
    Flag,
    ListOf,
    MapOf,
    Number,
    Object,
    OneOf,
    Path,
    Problem,
    Required,
    TextField,
    Typed,
    WholeNumber,
)

_DOCS = "https://docs.discord.com/developers/interactions/application-commands"
# All names, descriptions and choices of one command together.
_MAX_COMMAND_CHARS = 8000
_SUB_COMMANDS = (1, 2)
# JavaScript numbers are exact up to here.
_MAX_SAFE_INTEGER = 2**53
_NAME = TextField(
    1, 32, re.compile(r"[-_'\w]+"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid", trim=False
)
_DESCRIPTION = TextField(1, 100)


def _capitals(one: Json, path: Path) -> Iterator[Problem]:
    if one["name"] != str(one["name"]).lower():
        yield Problem((*path, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


_LOWER = CrossFieldRule("the name has no capitals", _capitals)


# Choices


def _choice(value: Field) -> Object:
    fields = {"name": Required(TextField(1, 100)), "value": Required(value)}
    return Object(
        "choice of an option",
        f"{_DOCS}#application-command-object-application-command-option-choice-structure",
        fields,
    )


def _choices_differ(option: Json, path: Path) -> Iterator[Problem]:
    names: set[str] = set()
    for index, choice in enumerate(option.get("choices") or ()):
        if choice["name"] in names:
            code = "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS"
            said = f"Option choice name {choice['name']} already exists"
            yield Problem((*path, "choices", str(index), "name"), code, said)
        names.add(choice["name"])


def _choices_or_completion(option: Json, path: Path) -> Iterator[Problem]:
    if option.get("autocomplete") and option.get("choices"):
        code = "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES"
        yield Problem((*path, "choices"), code, "Options with choices cannot be autocompleted")


def _bounds(low: str, high: str) -> CrossFieldRule:
    def find(option: Json, path: Path) -> Iterator[Problem]:
        minimum, maximum = option.get(low), option.get(high)
        if minimum is not None and maximum is not None and float(minimum) > float(maximum):
            said = f"{low} value should be less than or equal to {maximum}."
            yield Problem((*path, low), "NUMBER_TYPE_MAX", said)

    return CrossFieldRule(f"{low} is not above {high}", find)


# Options


def _options_in_order(holder: Json, path: Path) -> Iterator[Problem]:
    optional = False
    for index, option in enumerate(holder.get("options") or ()):
        if option.get("type") in _SUB_COMMANDS:
            continue
        if option.get("required") and optional:
            code = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
            said = "Required options must be placed before non-required options"
            yield Problem((*path, "options", str(index)), code, said)
        # From the first optional option on, all must be optional.
        optional = optional or not option.get("required")


def _options_differ(holder: Json, path: Path) -> Iterator[Problem]:
    names: set[str] = set()
    for index, option in enumerate(holder.get("options") or ()):
        if option["name"] in names:
            said = f"Option name {option['name']} is already used in these options"
            yield Problem((*path, "options", str(index)), "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", said)
        names.add(option["name"])


def _one_kind(holder: Json, path: Path) -> Iterator[Problem]:
    options: Sequence[Json] = holder.get("options") or ()
    # Sub-commands and plain options cannot be mixed.
    sorts = {option["type"] in _SUB_COMMANDS for option in options}
    if len(sorts) > 1:
        said = "Sub-command and sub-command group option types are mutually exclusive to all other types"
        at = next(index for index, one in enumerate(options) if one["type"] not in _SUB_COMMANDS)
        yield Problem((*path, "options", str(at)), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", said)


_IN_ORDER = CrossFieldRule("required options come first", _options_in_order)
_DIFFER = CrossFieldRule("option names differ", _options_differ)
_CHOICE_RULES = (
    _LOWER,
    CrossFieldRule("choice names differ", _choices_differ),
    CrossFieldRule("choices or autocomplete, not both", _choices_or_completion),
)
_TRANSLATIONS: dict[str, Field] = {
    "name_localizations": MapOf(TextField(1, 32)),
    "description_localizations": MapOf(TextField(1, 100)),
}
_OPTION: dict[str, Field] = {
    **_TRANSLATIONS,
    "name": Required(_NAME),
    "description": Required(_DESCRIPTION),
    "required": Flag(),
    "autocomplete": Flag(),
}
_OPTION_DOCS = f"{_DOCS}#application-command-object-application-command-option-structure"

TEXT_CHOICE = _choice(TextField(1, 100))
WHOLE_CHOICE = _choice(WholeNumber(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER))
NUMBER_CHOICE = _choice(Number(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER))
TEXT_OPTION = Object(
    "option: text",
    _OPTION_DOCS,
    {
        **_OPTION,
        "choices": ListOf(TEXT_CHOICE, 0, 25),
        "min_length": WholeNumber(0, 6000),
        "max_length": WholeNumber(1, 6000),
    },
    (*_CHOICE_RULES, _bounds("min_length", "max_length")),
)
WHOLE_OPTION = Object(
    "option: whole number",
    _OPTION_DOCS,
    {
        **_OPTION,
        "choices": ListOf(WHOLE_CHOICE, 0, 25),
        "min_value": WholeNumber(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER),
        "max_value": WholeNumber(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER),
    },
    (*_CHOICE_RULES, _bounds("min_value", "max_value")),
)
NUMBER_OPTION = Object(
    "option: number",
    _OPTION_DOCS,
    {
        **_OPTION,
        "choices": ListOf(NUMBER_CHOICE, 0, 25),
        "min_value": Number(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER),
        "max_value": Number(-_MAX_SAFE_INTEGER, _MAX_SAFE_INTEGER),
    },
    (*_CHOICE_RULES, _bounds("min_value", "max_value")),
)
CHANNEL_OPTION = Object(
    "option: channel",
    _OPTION_DOCS,
    {**_OPTION, "channel_types": ListOf(OneOf((0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16)), 0, 13)},
    (_LOWER,),
)
PLAIN_OPTION = Object("option: user, role, mentionable, true or false", _OPTION_DOCS, _OPTION, (_LOWER,))
FILE_OPTION = Object(
    "option: file", _OPTION_DOCS, {**_OPTION, "file_types": ListOf(TextField(1, 32), 0, 10)}, (_LOWER,)
)
_VALUES: dict[int, Field] = {
    3: TEXT_OPTION, 4: WHOLE_OPTION, 5: PLAIN_OPTION, 6: PLAIN_OPTION, 7: CHANNEL_OPTION, 8: PLAIN_OPTION,
    9: PLAIN_OPTION, 10: NUMBER_OPTION, 11: FILE_OPTION,
}  # fmt: skip
SUB_COMMAND = Object(
    "sub-command",
    _OPTION_DOCS,
    {
        "name": Required(_NAME),
        "description": Required(_DESCRIPTION),
        "options": ListOf(Typed("option", _VALUES), 0, 25),
    },
    (_LOWER, _IN_ORDER, _DIFFER),
)
GROUP = Object(
    "sub-command group",
    _OPTION_DOCS,
    {
        "name": Required(_NAME),
        "description": Required(_DESCRIPTION),
        "options": ListOf(Typed("sub-command", {1: SUB_COMMAND}), 0, 25),
    },
    (_LOWER, _DIFFER),
)


# Commands


def command_size(command: Json) -> int:
    """Return the characters of a command that count: names, descriptions and values of choices.

    https://docs.discord.com/developers/interactions/application-commands#slash-commands : of each text the
    longest translation counts.
    """
    size = sum(_longest(command, name) for name in ("name", "description"))
    for choice in command.get("choices") or ():
        size += _longest(choice, "name") + (len(choice["value"]) if isinstance(choice["value"], str) else 0)
    return size + sum(command_size(option) for option in command.get("options") or ())


def _longest(holder: Json, name: str) -> int:
    translations = (holder.get(f"{name}_localizations") or {}).values()
    return max(len(str(text)) for text in (holder.get(name) or "", *translations))


def _too_large(command: Json, path: Path) -> Iterator[Problem]:
    if command_size(command) > _MAX_COMMAND_CHARS:
        yield Problem(
            path, "APPLICATION_COMMAND_TOO_LARGE", f"Command exceeds maximum size ({_MAX_COMMAND_CHARS})"
        )


_COMMAND: dict[str, Field] = {
    "contexts": ListOf(OneOf((0, 1, 2)), 0, 3),
    "integration_types": ListOf(OneOf((0, 1)), 0, 2),
    "default_member_permissions": WholeNumber(0),
    "nsfw": Flag(),
    "dm_permission": Flag(),
    "handler": OneOf((1, 2, 3)),
    **_TRANSLATIONS,
}
SLASH_COMMAND = Object(
    "slash command",
    f"{_DOCS}#create-global-application-command",
    {
        **_COMMAND,
        "name": Required(_NAME),
        "description": Required(_DESCRIPTION),
        "options": ListOf(Typed("option", {1: SUB_COMMAND, 2: GROUP, **_VALUES}), 0, 25),
    },
    (
        _LOWER,
        _IN_ORDER,
        _DIFFER,
        CrossFieldRule("sub-commands, or other options, not both", _one_kind),
        CrossFieldRule(
            f"at most {_MAX_COMMAND_CHARS} characters in all names, descriptions and choices", _too_large
        ),
    ),
)


def _no_description(command: Json, path: Path) -> Iterator[Problem]:
    for name in ("description", "options"):
        if command.get(name):
            code = "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_CANNOT_BE_SET"
            yield Problem((*path, name), code, f"Context menu commands cannot have {name}")


MENU_COMMAND = Object(
    "command in the menu of a user or a message",
    f"{_DOCS}#user-commands",
    {**_COMMAND, "name": Required(TextField(1, 32))},
    (CrossFieldRule("no description, no options", _no_description),),
)
CHOICES = ListOf(_choice(TextField(0, 6000)), 0, 25)
"""What a bot suggests while a user types into an option."""

OBJECTS = (
    SLASH_COMMAND, MENU_COMMAND, SUB_COMMAND, GROUP, TEXT_OPTION, WHOLE_OPTION, NUMBER_OPTION,
    CHANNEL_OPTION, PLAIN_OPTION, FILE_OPTION, TEXT_CHOICE, WHOLE_CHOICE, NUMBER_CHOICE,
)  # fmt: skip
