"""Fields say what they mean and hold; values from anywhere are checked against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from enum import IntEnum
from typing import Any, Literal

import pytest

from streamcord import SettingsError
from streamcord._common.fields import build, check_fields, convert, describe_fields, fields_of, setting


class Size(IntEnum):
    SMALL = 0
    LARGE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    name: str = setting(doc="What it is called.")
    id: int = setting(0, "Its id.", minimum=0, is_id=True)

    def __post_init__(self) -> None:
        check_fields(self, "inner.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    text: str = setting("", "Words.")
    count: int = setting(1, "How many.", minimum=1, maximum=1_000_000)
    open: int = setting(0, "At least this many.", minimum=0)
    ratio: float = setting(0.5, "How much of it.", minimum=0, maximum=1)
    on: bool = setting(False, "Whether it runs.")
    mode: Literal["a", "b"] = setting("a", "Which way.")
    size: Size | Literal[0, 1] = setting(Size.SMALL, "How large.")
    ids: tuple[int, ...] = setting((), "Which ones.", minimum=1, is_id=True)
    words: tuple[str, ...] | None = setting(None, "Which words.")
    inner: Inner | None = setting(None, "Another table.")
    many: tuple[Inner, ...] = setting((), "Other tables.")
    extra: Mapping[str, Any] = setting(doc="Anything else.", factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)


FIELDS = fields_of(Everything)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("text", "x", "x"),
        ("count", 1_000_000, 1_000_000),
        ("ratio", 1, 1.0),
        ("on", True, True),
        ("mode", "b", "b"),
        ("size", 1, Size.LARGE),
        ("size", "large", Size.LARGE),
        ("ids", [1, "123456789012345678"], (1, 123456789012345678)),
        ("words", None, None),
        ("words", ["x"], ("x",)),
        ("inner", {"name": "n", "id": "7"}, Inner(name="n", id=7)),
        ("inner", Inner(name="n"), Inner(name="n")),
        ("many", [{"name": "n"}, Inner(name="m")], (Inner(name="n"), Inner(name="m"))),
        ("extra", {"free": 1}, {"free": 1}),
    ],
)
def test_a_value_becomes_what_its_field_holds(name: str, value: Any, kept: object) -> None:
    found = convert(FIELDS[name], name, value)

    assert found == kept
    assert type(found) is type(kept)
    assert getattr(Everything(**{name: value}), name) == kept


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("text", 5, "a text"),
        ("count", "5", "a whole number from 1 to 1000000"),
        ("count", True, "a whole number from 1 to 1000000"),
        ("count", 0, "a whole number from 1 to 1000000"),
        ("open", -1, "a whole number of at least 0"),
        ("ratio", float("nan"), "a number from 0 to 1"),
        ("ratio", True, "a number from 0 to 1"),
        ("on", 1, "true or false"),
        ("mode", "c", "a or b"),
        ("mode", ["a"], "a or b"),
        ("size", 2, "0 to 1, or SMALL, LARGE"),
        ("size", False, "0 to 1, or SMALL, LARGE"),
        ("ids", [0], 'a list of ids, such as ["123456789012345678"]'),
        ("ids", ["9" * 30], 'a list of ids, such as ["123456789012345678"]'),
        ("ids", 5, 'a list of ids, such as ["123456789012345678"]'),
        ("words", [5], "a list of texts"),
        ("inner", "n", "a Inner or a table of its fields"),
        ("many", {"name": "n"}, "a list of Inner or of tables of its fields"),
        ("extra", 1, "a table"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_is_allowed(
    name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Everything(**{name: value})

    assert (caught.value.field, caught.value.allowed) == (name, allowed)


def test_a_number_may_be_quoted_where_files_are_read() -> None:
    assert convert(FIELDS["count"], "count", "5", quoted=True) == 5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nam": "x"}, "w has no key 'nam': did you mean name?"),
        ({"zzzz": "x"}, "w has no key 'zzzz': there are name, id"),
        ({}, "w.name must be there"),
        (5, "w must be a table, not 5"),
        ({"name": 5}, "inner.name must be a text, not 5"),
    ],
)
def test_a_table_that_does_not_fit_says_what_is_wrong(values: object, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        build(Inner, "w", values)

    assert str(caught.value) == message


def test_a_field_is_known_with_its_default_and_meaning() -> None:
    assert (FIELDS["count"].default, FIELDS["count"].doc) == (1, "How many.")
    assert fields_of(Inner)["name"].default is MISSING
    assert FIELDS["extra"].default == {}


def test_every_field_is_in_the_docstring() -> None:
    assert describe_fields(Inner).splitlines()[1:4] == [
        "    Args:",
        "        name: What it is called.",
        "        id: Its id.",
    ]
