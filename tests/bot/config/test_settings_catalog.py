"""The settings as data: complete, with meanings, and with values that people can type."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import fields
from typing import Any

import pytest

from streamcord import AnswerContext, Degree, Settings, SettingsError
from streamcord_bot.config import AnswerConfig, ContextConfig, ServersConfig
from streamcord_bot.config.settings_catalog import (
    all_settings,
    check_bound,
    check_value,
    parse_value,
    show_value,
    suggest_values,
)

SETTINGS = all_settings()
# Found out for each answer, from the conversation and the store.
NOT_SET = {"persona", "personas", "people", "emoji", "recent_messages", "secrets", "previous_speaker"}


def test_every_setting_is_in_it_and_nothing_else() -> None:
    names = {spec.name for group in (Settings, AnswerContext) for spec in fields(group)} - NOT_SET
    names |= {f"answer.{spec.name}" for spec in fields(AnswerConfig)}
    names |= {f"context.{spec.name}" for spec in fields(ContextConfig)}

    assert set(SETTINGS) == names | {"thought_log"}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_says_what_it_means_and_takes_and_takes_its_own_default(name: str) -> None:
    setting = SETTINGS[name]

    assert setting.doc.endswith(".")
    assert setting.allowed
    typed = show_value(setting.default) if setting.default not in ("", ()) else ""
    kept = check_value(setting, parse_value(setting, typed), {})
    assert (tuple(kept) if isinstance(kept, list) else kept) == setting.default


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_suggested_is_taken(name: str) -> None:
    for suggestion in suggest_values(SETTINGS[name]):
        if suggestion != "-":
            check_value(SETTINGS[name], parse_value(SETTINGS[name], suggestion), {})


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("degree", "3", 3),
        ("degree", "2 MEDIUM", 2),
        ("degree", "heavy", "heavy"),
        ("rules", "Off", False),
        ("rules", "yes", True),
        ("rules", "maybe", "maybe"),
        ("message_cap", " 7 ", 7),
        ("message_cap", "1e3", "1e3"),
        ("typing_delay_max", "2.5", 2.5),
        ("typing", " on ", "on"),
        ("prefill", " Sure, ", " Sure, "),
        ("prefill", "x" * 5000, "x" * 1000),
        ("answer.words", "a, b c,,", ["a", "b c"]),
        ("answer.channels", "<#5>,6,x", [5, 6, "x"]),
        ("thought_log", "<#5>", 5),
    ],
)
def test_what_is_typed_is_read_by_the_settings_kind(name: str, typed: str, value: Any) -> None:
    assert parse_value(SETTINGS[name], typed) == value


def test_a_number_without_an_end_is_not_read_for_ever() -> None:
    assert parse_value(SETTINGS["message_cap"], "9" * 100_000) == int("9" * 40)


def test_a_degree_is_kept_as_a_number() -> None:
    assert check_value(SETTINGS["degree"], "heavy", {}) == 3
    assert type(check_value(SETTINGS["degree"], 1, {})) is int


@pytest.mark.parametrize(
    ("name", "value", "given", "fits"),
    [
        ("context.tokens", 4000, 4000, True),
        ("context.tokens", 4001, 4000, False),
        ("context.images", 0, 4, True),
        ("answer_cap", 0, 1000, False),
        ("answer_cap", 0, 0, True),
        ("answer_cap", 10**9, 0, True),
        ("idle_timeout", 120.5, 120.0, False),
        ("message_cap", 41, 40, False),
        ("message_cap", 0, 40, False),
        ("answer.direct_messages", True, False, False),
        ("answer.direct_messages", False, True, True),
        ("unmatched_delimiter_limit", 4000, 600, True),
        ("unmatched_delimiter_limit", 4001, 600, False),
        ("typing", "on", "off", True),
    ],
)
def test_what_costs_the_operator_is_bounded(name: str, value: Any, given: Any, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(SettingsError, match="as the bot's file says"):
        check_bound(SETTINGS[name], value, given, ServersConfig())


def test_what_else_is_set_counts_and_what_is_no_setting_does_not() -> None:
    around = {"pause_min": 1.0, "model": "x", "answer.debounce": 2}

    assert check_value(SETTINGS["pause_max"], 1.2, around) == 1.2
    with pytest.raises(SettingsError, match="at least pause_min"):
        check_value(SETTINGS["pause_max"], 0.9, around)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (2.0, "2"),
        (0.01, "0.01"),
        ((), "-"),
        (["a", 5], "a, 5"),
        ("", "-"),
        (Degree.HEAVY, "3 HEAVY"),
    ],
)
def test_values_are_shown_as_they_are_typed(value: object, shown: str) -> None:
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("message_length", "a whole number from 32 to 1000000"),
        ("message_cap", "a whole number from 0 to 100000"),
        ("typing", "auto or on or off"),
        ("rules", "true or false"),
        ("prefill", "a text"),
        ("answer.words", "a list of texts"),
    ],
)
def test_what_a_setting_takes_is_said_in_words(name: str, takes: str) -> None:
    assert SETTINGS[name].allowed == takes


@pytest.mark.parametrize("typed", ["LOW", "low", "1 LIGHT", "LIGHT", "1"])
def test_low_is_degree_one(typed: str) -> None:
    spec = SETTINGS["degree"]

    assert check_value(spec, parse_value(spec, typed), {}) == 1
