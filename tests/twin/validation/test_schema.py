from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discord_twin.validation import schema as kinds
from discord_twin.validation.schema import Field, ListOf, Object, Problem, Required, TextField, nest_errors
from twin.validation.seeing import faults

PAIR = Object("pair", "", {"a": Required(TextField(1, 3)), "b": kinds.WholeNumber(0, 9)})


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (TextField(2, 3), ["ab", "abc", 123, "  abc "], ["a", "abcd", ["ab"], {"a": 1}]),
        (TextField(2), ["ab"], ["a"]),
        (TextField(0, 3, re.compile("[a-z]+")), ["ab"], ["AB"]),
        (kinds.WholeNumber(0, 9), [0, "9", 5.0, True], [-1, 10, "x", None, [1], float("inf")]),
        (kinds.Number(0, 1.5), [0.5, "1"], [2, -1, "x", [1]]),
        (kinds.Id(), ["123", 123], ["x", -1, True, "1" * 21, [1], "１"]),
        (kinds.Flag(), [True, False, 0, 1, "true"], ["yes", 2, [], {}]),
        (kinds.OneOf((60, 1440)), [60, "1440"], [7, True, [60]]),
        (kinds.Time(), ["2026-01-01T00:00:00Z", "2026-01-01"], ["soon", 5, []]),
        (
            kinds.Url(),
            ["https://a.b/c", "http://127.0.0.1:1/x", "http://localhost/x", "http://[::1]/x"],
            ["a.b", "ftp://a.b", "https://", "https://nodot", "https://a b.c", "javascript:alert(1)", 5,
             "https://a.b/" + "x" * 2048, "http://[", "attachment://a.png"],
        ),
        (kinds.Url(("attachment",)), ["attachment://a.png"], ["https://a.b"]),
        (ListOf(kinds.Id(), 1, 2), [["1"], ("1", "2")], [[], ["1", "2", "3"], "1", {"1": 1}, ["x"]]),
        (PAIR, [{"a": "x"}, {"a": "x", "b": None, "c": []}], [{}, {"a": None}, {"a": "x", "b": 10}, [], "x"]),
        (kinds.Typed("t", {1: PAIR}), [{"type": 1, "a": "x"}], [{"type": 2}, {"type": "1"}, {}, []]),
    ],
)  # fmt: skip
def test_a_field_type_accepts_valid_and_refuses_invalid_values(
    kind: Field, good: list[Any], bad: list[Any]
) -> None:
    assert [value for value in good if faults(kind, value)] == []
    assert [value for value in bad if not faults(kind, value)] == []
    assert str(kind)


def test_all_problems_are_found_each_at_its_place() -> None:
    pairs = ListOf(PAIR, 0, 5)

    assert faults(pairs, [{"a": "xxxx"}, {"a": "x"}, {"b": -1}]) == [
        "0.a: BASE_TYPE_BAD_LENGTH", "2.a: BASE_TYPE_REQUIRED", "2.b: NUMBER_TYPE_MIN",
    ]  # fmt: skip


def test_problems_are_nested_as_discord_does() -> None:
    found = [Problem(("a", "0"), "X", "x"), Problem(("a", "0"), "Y", "y"), Problem((), "Z", "z")]

    assert nest_errors(found) == {
        "a": {"0": {"_errors": [{"code": "X", "message": "x"}, {"code": "Y", "message": "y"}]}},
        "_errors": [{"code": "Z", "message": "z"}],
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=300)
def test_no_value_is_too_strange_to_be_judged(value: object) -> None:
    for kind in (
        TextField(1, 2),
        kinds.WholeNumber(),
        kinds.Number(),
        kinds.Id(),
        kinds.Flag(),
        kinds.Time(),
        kinds.Url(),
        kinds.OneOf((1,)),
        ListOf(PAIR, 0, 2),
        PAIR,
        kinds.Typed("t", {1: PAIR}),
    ):
        faults(kind, value)
