from __future__ import annotations

from typing import Any

import pytest

from discord_twin.validation import commands as rules
from twin.validation.seeing import faults


def option(name: str = "o", type_: int = 3, **more: Any) -> dict[str, Any]:
    return {"type": type_, "name": name, "description": "d", **more}


def command(*options: Any, **more: Any) -> dict[str, Any]:
    return {"name": "c", "description": "d", "options": list(options), **more}


CHOICES = [{"name": str(number), "value": str(number)} for number in range(26)]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (command(), None),
        (command(name="größe-1_a"), None),
        (command(name="測試"), None),
        (command(name="Upper"), "name: APPLICATION_COMMAND_INVALID_NAME"),
        (command(name="two words"), "name: APPLICATION_COMMAND_INVALID_NAME"),
        (command(name="x" * 33), "name: BASE_TYPE_BAD_LENGTH"),
        (command(name=None), "name: BASE_TYPE_REQUIRED"),
        (command(description=""), "description: BASE_TYPE_REQUIRED"),
        (command(description="x" * 101), "description: BASE_TYPE_BAD_LENGTH"),
        (command(option("a", required=True), option("b")), None),
        (command(option("a"), option("b", required=True)),
         "options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"),
        (command(option("a"), option("a")), "options.1: APPLICATION_COMMAND_OPTIONS_NAME_INVALID"),
        (command(*(option(f"o{number}") for number in range(26))), "options: BASE_TYPE_MAX_LENGTH"),
        (command(option(choices=CHOICES[:25])), None),
        (command(option(choices=CHOICES)), "options.0.choices: BASE_TYPE_MAX_LENGTH"),
        (command(option(choices=CHOICES[:1] * 2)),
         "options.0.choices.1.name: APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS"),
        (command(option(choices=CHOICES[:1], autocomplete=True)),
         "options.0.choices: APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES"),
        (command(option(type_=4, choices=[{"name": "a", "value": "x"}])),
         "options.0.choices.0.value: NUMBER_TYPE_COERCE"),
        (command(option(type_=4, min_value=5, max_value=4)), "options.0.min_value: NUMBER_TYPE_MAX"),
        (command(option(min_length=6001)), "options.0.min_length: NUMBER_TYPE_MAX"),
        (command(option(min_length=5, max_length=4)), "options.0.min_length: NUMBER_TYPE_MAX"),
        (command(option(type_=7, channel_types=[99])), "options.0.channel_types.0: BASE_TYPE_CHOICES"),
        (command(option(type_=12)), "options.0: UNION_TYPE_CHOICES"),
        (command(option(type_=1), option("p")), "options.1: APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"),
        (command(option(type_=2, options=[option(type_=1)])), None),
        (command(option(type_=2, options=[option(type_=3)])), "options.0.options.0: UNION_TYPE_CHOICES"),
        (command(option(type_=1, options=[option(type_=1)])), "options.0.options.0: UNION_TYPE_CHOICES"),
        (command(option(type_=1, options=[option("a"), option("b", required=True)])),
         "options.0.options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"),
        (command(contexts=[3]), "contexts.0: BASE_TYPE_CHOICES"),
        (command(options={"a": 1}), "options: LIST_TYPE_CONVERT"),
    ],
)  # fmt: skip
def test_a_slash_command(body: dict[str, Any], fault: str | None) -> None:
    assert faults(rules.SLASH_COMMAND, body) == ([] if fault is None else [fault])


def test_eight_thousand_characters_are_too_many() -> None:
    long = [{"name": f"{number:02}" + "x" * 98, "value": "y" * 100} for number in range(20)]
    fits, over = (command(option("a", choices=long), option("b", choices=long[:count])) for count in (19, 20))

    assert rules.command_size(fits) == 1 + 1 + 2 * 2 + 39 * 200
    assert faults(rules.SLASH_COMMAND, fits) == []
    assert faults(rules.SLASH_COMMAND, over) == [": APPLICATION_COMMAND_TOO_LARGE"]


def test_of_translations_the_longest_counts() -> None:
    body = command(name_localizations={"de": "x" * 30}, description_localizations={"de": "y"})

    assert rules.command_size(body) == 31


def test_a_menu_has_a_name_and_nothing_else() -> None:
    assert faults(rules.MENU_COMMAND, {"name": "Ask Luna", "type": 3}) == []
    assert faults(rules.MENU_COMMAND, {"name": "x" * 33}) == ["name: BASE_TYPE_BAD_LENGTH"]
    assert faults(rules.MENU_COMMAND, {"name": "a", "description": "d"}) == [
        "description: APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_CANNOT_BE_SET"
    ]


def test_twenty_five_values_are_suggested() -> None:
    assert faults(rules.CHOICES, CHOICES[:25]) == []
    assert faults(rules.CHOICES, CHOICES) == [": BASE_TYPE_MAX_LENGTH"]
