"""The seeds' names of the environment override the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamcord import SettingsError
from streamcord._bot.config import environment
from streamcord._bot.config.config import read_config


def settings_with(**names: str) -> tuple[int, int, bool, float]:
    settings = read_config({"settings": {"emoji_unique_lookback": 7}}, names).settings_for()
    return (
        settings.emoji_unique_lookback,
        settings.emoji_run_prefix_length,
        settings.emoji_preserve_unresolved_shortcodes,
        settings.idle_timeout,
    )


def test_without_them_the_file_decides() -> None:
    assert settings_with() == (7, 3, False, 120.0)


def test_each_name_of_the_seeds_has_the_last_word() -> None:
    assert settings_with(
        EMOJI_UNIQUE_LOOKBACK="2",
        EMOJI_RUN_PREFIX_LENGTH="4",
        EMOJI_PRESERVE_UNRESOLVED_SHORTCODES="TRUE",
        STREAM_SDK_CALL_TIMEOUT_MS="10000",
    ) == (2, 4, True, 10.0)


def test_the_search_for_repeats_can_be_turned_off_and_its_reach_wins() -> None:
    assert settings_with(EMOJI_UNIQUE_ENABLED="false")[0] == 0
    assert settings_with(EMOJI_UNIQUE_ENABLED="false", EMOJI_UNIQUE_LOOKBACK="3")[0] == 3


def test_a_models_own_settings_do_not_beat_the_environment() -> None:
    table = {"models": {"a": {"settings": {"emoji_run_prefix_length": 9}}}}

    config = read_config(table, {"EMOJI_RUN_PREFIX_LENGTH": "4"})

    assert config.settings_for("a").emoji_run_prefix_length == 4


def test_the_time_of_a_tool_is_read_too() -> None:
    config = read_config({"tools": {"timeout": 5}}, {"TOOL_EXECUTION_TIMEOUT_MS": "30000"})

    assert config.tools.timeout == 30.0


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("EMOJI_UNIQUE_LOOKBACK", "many", "a whole number"),
        ("EMOJI_PRESERVE_UNRESOLVED_SHORTCODES", "perhaps", "true or false"),
        ("TOOL_EXECUTION_TIMEOUT_MS", "1s", "milliseconds"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(name: str, value: str, allowed: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} of the environment must be .*{allowed}"):
        read_config({}, {name: value})


def test_every_name_is_explained_to_operators() -> None:
    page = (Path(__file__).parents[3] / "docs" / "operation.md").read_text(encoding="utf-8")
    names = [row[0] for row in (*environment._SETTINGS, *environment._TOOLS)]

    for name in (*names, environment.TOKEN_NAME, environment.KEY_NAME, environment.STORE_NAME):
        assert f"`{name}`" in page
