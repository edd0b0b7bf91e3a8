"""A table is read by the annotations of the class it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from streamcord._bot.config.toml_tables import ConfigError, read_table


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
        ({"inner": [{"nam": 1}]}, r"f: w.inner must be a table of known keys \(did you mean name\?\)"),
        ({"inner": {}}, "f: w.inner must be a list, each a table"),
        ({"extra": 1}, "f: w.extra must be a table, not 1"),
        ({"text": ["long"] * 100}, r"not \['long', .*\.\.\.$"),
        (7, "f: w must be a table, not 7"),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_allowed(table: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_table(Everything, "f", "w", table)


def test_a_key_that_is_missing_is_named() -> None:
    with pytest.raises(ConfigError, match=r"f: w\.inner\.name must be there"):
        read_table(Everything, "f", "w", {"inner": [{}]})
