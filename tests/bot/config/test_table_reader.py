from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from streamcord import SettingsError
from streamcord_bot.config import ConfigError, read_config, table_reader
from streamcord_bot.config.table_reader import read_table


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
    page = (Path(__file__).parents[3] / "docs" / "bot.md").read_text(encoding="utf-8")
    names = [row[0] for row in (*table_reader._SETTINGS, *table_reader._TOOLS)]

    for name in (*names, table_reader.TOKEN_NAME, table_reader.KEY_NAME, table_reader.STORE_NAME):
        assert f"`{name}`" in page


@dataclass(frozen=True, kw_only=True)
class Inner:
    name: str


@dataclass(frozen=True, kw_only=True)
class Everything:
    text: str = ""
    count: int = 0
    ratio: float = 0.0
    on: bool = False
    mode: Literal["a", "b"] = "a"
    ids: tuple[int, ...] = ()
    some: tuple[str, ...] | None = None
    inner: tuple[Inner, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def test_each_kind_of_value_is_read() -> None:
    table = {
        "text": "t",
        "count": "123456789012345678",
        "ratio": 2,
        "on": True,
        "mode": "b",
        "ids": [1, "2"],
        "some": ["x"],
        "inner": [{"name": "n"}],
        "extra": {"free": 1},
    }

    assert read_table(Everything, "f", "", table) == Everything(
        text="t",
        count=123456789012345678,
        ratio=2.0,
        on=True,
        mode="b",
        ids=(1, 2),
        some=("x",),
        inner=(Inner(name="n"),),
        extra={"free": 1},
    )


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"count": True}, "f: w.count must be a whole number, not True"),
        ({"count": "9" * 30}, "f: w.count must be a whole number"),
        ({"ratio": "x"}, "f: w.ratio must be a number, not 'x'"),
        ({"inner": [{"nam": 1}]}, r"f: w.inner has no key 'nam': did you mean name\?"),
        ({"inner": {}}, "f: w.inner must be a list of Inner or of tables of its fields"),
        ({"extra": 1}, "f: w.extra must be a table, not 1"),
        ({"text": ["long"] * 100}, r"not \['long', .*\.\.\.$"),
        (7, "f: w must be a table, not 7"),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_allowed(table: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_table(Everything, "f", "w", table)


def test_a_key_that_is_missing_is_named() -> None:
    with pytest.raises(ConfigError, match=r"f: w\.inner\.name must be present"):
        read_table(Everything, "f", "w", {"inner": [{}]})
