"""Settings: what they are by default, what they take, and what they say to what they do not."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from itertools import pairwise
from typing import Any

import pytest

from streamcord._events import Degree
from streamcord._exceptions import SettingsError
from streamcord._settings import (
    AnswerContext,
    Persona,
    Settings,
    read_settings,
)


def test_the_defaults_are_those_of_the_house() -> None:
    settings = Settings()
    assert settings.degree is Degree.MEDIUM
    assert settings.message_length == 1950
    assert (settings.overflow_target, settings.overflow_before, settings.overflow_after) == (1000, 300, 200)
    assert settings.code_overflow == 15_000
    assert (settings.seconds_per_character, settings.typing_delay_min, settings.typing_delay_max) == (
        0.010,
        0.750,
        4.0,
    )
    assert (settings.pause_chance, settings.pause_min, settings.pause_max) == (0.25, 0.25, 1.5)
    assert (settings.message_cap, settings.send_message_limit) == (40, 0)
    assert settings.emoji_run_prefix_length == 3
    assert (settings.unmatched_delimiter_limit, settings.spoiler_length) == (600, 4000)
    assert (settings.comma_removal_chance, settings.comma_break, settings.exclamation_break) == (
        0.4,
        0.2,
        0.5,
    )


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().degree = Degree.NONE  # type: ignore[misc]


def test_a_stage_sees_its_own_fields_and_those_before_it() -> None:
    chain: list[Any] = [
        Settings,
        Settings,
        Settings,
        Settings,
        Settings,
        Settings,
    ]
    for stage, later in pairwise(chain):
        assert {field.name for field in fields(stage)} <= {field.name for field in fields(later)}
        assert issubclass(later, stage)


@pytest.mark.parametrize("value", [3, "HEAVY", "heavy", Degree.HEAVY])
def test_a_degree_is_a_number_or_a_name(value: Any) -> None:
    assert Settings(degree=value).degree is Degree.HEAVY


@pytest.mark.parametrize("value", [object(), float("nan"), [object()], -5])
@pytest.mark.parametrize(
    "name", [field.name for group in (Settings, AnswerContext) for field in fields(group)]
)
def test_a_value_that_no_field_takes_is_refused_by_the_name_of_its_field(name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=name):
        read_settings({name: value})


ALLOWED: list[dict[str, Any]] = [
    {"message_length": 32},
    {"message_length": 2000},
    {"message_cap": 0},
    {"typing_delay_min": 1},
    {"lists": "lines"},
    {"pause_min": 1.5},
    {"comma_removal_chance": 0.8},
    {"overflow_before": 999},
]


@pytest.mark.parametrize("values", ALLOWED)
def test_a_value_up_to_its_bounds_is_taken(values: dict[str, Any]) -> None:
    (name, value), *_ = values.items()
    assert getattr(Settings(**values), name) == value


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"message_length": 31}, "message_length must be a whole number from 32 to 1000000, not 31"),
    ({"message_length": 1000001}, "message_length must be a whole number from 32 to 1000000, not 1000001"),
    ({"message_length": 100.0}, "message_length must be a whole number from 32 to 1000000, not 100.0"),
    ({"message_length": "100"}, "message_length must be a whole number from 32 to 1000000, not '100'"),
    ({"message_length": True}, "message_length must be a whole number from 32 to 1000000, not True"),
    ({"message_cap": -1}, "message_cap must be a whole number from 0 to 100000, not -1"),
    ({"typing_delay_max": float("nan")}, "typing_delay_max must be a number from 0 to 60, not nan"),
    ({"pause_chance": 1.1}, "pause_chance must be a number from 0 to 1, not 1.1"),
    ({"humanize": 1}, "humanize must be true or false, not 1"),
    ({"lists": "apart"}, "lists must be together or lines, not 'apart'"),
    ({"auto_close": True}, "auto_close must be markdown or all or off, not True"),
    ({"degree": 4}, "degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not 4"),
    ({"degree": True}, "degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not True"),
    ({"degree": "wild"}, "degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not 'wild'"),
    ({"pause_min": 2.0}, "pause_max must be at least pause_min (2.0), not 1.5"),
    ({"overflow_before": 1000}, "overflow_before must be less than overflow_target, not 1000"),
    (
        {"stop_strings": ["x"] * 40 + ["y" * 201]},
        "stop_strings must be texts of 1 to 200 characters, not 201",
    ),
    ({"stop_strings": list(map(str, range(41)))}, "stop_strings must be at most 40 texts, not 41"),
    ({"stop_strings": "x"}, "stop_strings must be a list of texts, not 'x'"),
    ({"comma_removal_chance": 0.9}, "comma_break must be at most 1 - comma_removal_chance, not 0.2"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_a_value_that_is_not_allowed_is_refused_with_a_reason(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    assert str(caught.value) == message
    assert caught.value.field == message.partition(" ")[0]


def test_a_table_of_plain_values_makes_settings() -> None:
    table = {"degree": "none", "persona": {"name": "Luna", "aliases": ["Moony"]}, "typing": "off"}
    assert read_settings(table) == (
        Settings(degree=Degree.NONE, typing="off"),
        AnswerContext(persona=Persona("Luna", ("Moony",))),
    )
    assert Settings.from_mapping({}) == Settings()
    assert AnswerContext.from_mapping({}) == AnswerContext()


def test_a_context_takes_a_persona_or_none() -> None:
    assert AnswerContext(persona=None).persona is None
    assert AnswerContext(persona=Persona("Luna")).persona == Persona("Luna")
    with pytest.raises(SettingsError) as caught:
        AnswerContext.from_mapping({"persona": "Luna"})
    assert str(caught.value) == "persona must be a Persona or a table of its fields, not 'Luna'"


def test_settings_and_context_share_no_name() -> None:
    names = [field.name for group in (Settings, AnswerContext) for field in fields(group)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"degre": 1}, "settings has no key 'degre': did you mean degree?"),
        (
            {"persona": {"nam": "Luna"}},
            "persona has no key 'nam': did you mean name?",
        ),
        ({"persona": {}}, "persona.name must be there"),
        ([("degree", 1)], "settings must be a table, not [('degree', 1)]"),
    ],
)
def test_a_table_with_a_fault_is_refused_with_a_hint(table: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(table)
    assert str(caught.value) == message


def test_unknown_setting_is_refused_with_the_page_that_lists_the_settings() -> None:
    with pytest.raises(SettingsError, match=r"^settings has no key 'zzz': docs/settings.md lists the keys$"):
        read_settings({"zzz": 1})


def test_a_persona_keeps_its_aliases_as_a_tuple() -> None:
    aliases: Any = ["Moony", "Lu"]
    assert Persona("Luna", aliases) == Persona("Luna", ("Moony", "Lu"))
    assert hash(Persona("Luna", aliases)) == hash(Persona("Luna", ("Moony", "Lu")))


@pytest.mark.parametrize(
    ("name", "aliases", "field"),
    [
        ("", (), "persona.name"),
        ("  ", (), "persona.name"),
        (7, (), "persona.name"),
        ("Luna", "Moony", "persona.aliases"),
        ("Luna", {"Moony"}, "persona.aliases"),
        ("Luna", ["Moony", 7], "persona.aliases"),
    ],
)
def test_a_persona_needs_a_name_and_a_list_of_aliases(name: Any, aliases: Any, field: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Persona(name, aliases)
    assert caught.value.field == field


def test_a_degree_may_be_written_as_a_number_by_whoever_has_types_checked() -> None:
    assert Settings(degree=0).degree is Degree.NONE
