from __future__ import annotations

from typing import Any

import pytest

from streamcord import SettingsError
from streamcord_bot.config import ServersConfig
from streamcord_bot.config.server_limits import LIST_CAP, check_names, clamp, find_maximum, may_change

USUAL = ServersConfig()


@pytest.mark.parametrize(
    ("name", "value", "given", "used"),
    [
        ("message_cap", 5, 40, 5),
        ("message_cap", 50, 40, 40),
        ("message_cap", 0, 40, 40),
        ("message_cap", 0, 0, 0),
        ("message_cap", 10**9, 0, 10**9),
        ("context.images", 0, 4, 0),
        ("typing_delay_max", 9.0, 4.0, 9.0),
        ("typing_delay_max", 60.0, 4.0, 10.0),
        ("typing_delay_max", 60.0, 30.0, 30.0),
        ("answer.direct_messages", True, False, False),
        ("answer.direct_messages", False, True, False),
        ("impersonation", "all", "off", "off"),
        ("impersonation", "off", "all", "off"),
        ("mentions", "users_and_roles", "nobody", "users_and_roles"),
        ("typing", "on", "off", "on"),
        ("message_cap", "many", 40, 40),
        ("answer.words", ["a"] * 60, (), ["a"] * LIST_CAP),
    ],
)
def test_a_value_goes_no_further_than_the_file_lets_it(name: str, value: Any, given: Any, used: Any) -> None:
    assert clamp(USUAL, name, value, given) == used


def test_the_file_may_name_another_ceiling_than_its_own_value() -> None:
    config = ServersConfig(maximum={"message_cap": 80, "mentions": "resolved"})

    assert find_maximum(config, "message_cap", 40) == 80
    assert clamp(config, "mentions", "users", "users_and_roles") == "resolved"
    assert find_maximum(USUAL, "mentions", "resolved") is None


def test_servers_may_change_more_than_people_in_direct_messages() -> None:
    for name in ("model", "mentions", "rules", "thought_log", "impersonation", "answer.channels"):
        assert may_change(USUAL, name, guild=1)
        assert not may_change(USUAL, name, guild=0)
    assert may_change(USUAL, "degree", guild=0)
    assert not may_change(ServersConfig(may_change=()), "degree", guild=1)


def test_names_are_checked() -> None:
    ours = ServersConfig(may_change=("look", "x"), people_may_change=(), maximum={"x": 4})
    check_names(ours, frozenset({"x"}))
    with pytest.raises(SettingsError, match=r"servers\.may_change must be names of settings, or look"):
        check_names(ours, frozenset())
    with pytest.raises(SettingsError, match=r"servers\.maximum has no key 'x': there are deep, y"):
        check_names(
            ServersConfig(may_change=(), people_may_change=(), maximum={"x": 4}), frozenset({"y", "deep"})
        )


def test_servers_that_the_operator_names_may_copy_people() -> None:
    config = ServersConfig(impersonation=(7,))

    assert clamp(config, "impersonation", "all", "personas", 7) == "all"
    assert clamp(config, "impersonation", "all", "personas", 8) == "personas"
    assert clamp(config, "impersonation", "all", "personas") == "personas"
