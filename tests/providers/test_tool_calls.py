from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.streams import share
from streamcord._events import ToolCall
from streamcord._exceptions import ProviderError
from streamcord._providers.tool_calls import INVALID_ARGUMENTS, MAX_ARGUMENT_CHARS, MAX_CALLS, CallAssembler


def assembled(*pieces: dict[str, Any]) -> list[ToolCall]:
    calls = CallAssembler()
    for piece in pieces:
        calls.feed(**piece)
    return calls.flush()


FIRST, SECOND = ToolCall("c1", "first", {"a": 1}), ToolCall("c2", "second", {"b": 2})


@pytest.mark.parametrize(
    "pieces",
    [
        # as documented
        [
            {"index": 0, "id": "c1", "name": "first"},
            {"index": 0, "arguments": '{"a":'},
            {"index": 0, "arguments": "1}"},
            {"index": 1, "id": "c2", "name": "second"},
            {"index": 1, "arguments": '{"b":2}'},
        ],
        # interleaved
        [
            {"index": 0, "id": "c1", "name": "first", "arguments": '{"a"'},
            {"index": 1, "id": "c2", "name": "second", "arguments": '{"b"'},
            {"index": 0, "arguments": ":1}"},
            {"index": 1, "arguments": ":2}"},
        ],
        # no index
        [
            {"id": "c1", "name": "first", "arguments": '{"a":'},
            {"arguments": "1}"},
            {"id": "c2", "name": "second", "arguments": '{"b":'},
            {"arguments": "2}"},
        ],
        # every piece with its id
        [
            {"index": 0, "id": "c1", "name": "first", "arguments": '{"a":'},
            {"index": 0, "id": "c1", "name": "first", "arguments": "1}"},
            {"index": 0, "id": "c2", "name": "second", "arguments": '{"b":'},
            {"index": 0, "id": "c2", "name": "second", "arguments": "2}"},
        ],
        # one index for all
        [
            {"index": 0, "id": "c1", "name": "first", "arguments": '{"a":1}'},
            {"index": 0, "id": "c2", "name": "second", "arguments": '{"b":2}'},
        ],
        # ids that come late
        [
            {"index": 1, "name": "first"},
            {"index": 1, "arguments": '{"a":1}'},
            {"index": 1, "id": "c1"},
            {"index": 2, "arguments": '{"b":2}'},
            {"index": 2, "id": "c2"},
            {"index": 2, "name": "second"},
        ],
        # the arguments as an object
        [
            {"index": 0, "id": "c1", "name": "first", "arguments": {"a": 1}},
            {"index": 1, "id": "c2", "name": "second", "arguments": {"b": 2}},
        ],
    ],
)
def test_p_32_two_calls_are_two_calls_however_they_are_numbered(pieces: list[dict[str, Any]]) -> None:
    assert assembled(*pieces) == [FIRST, SECOND]


def test_calls_without_ids_get_ids_that_are_alike_in_every_run() -> None:
    calls = CallAssembler()
    calls.turn = "resp"
    calls.feed(name="a", arguments='{"x":1}')
    calls.feed(name="a", arguments='{"x":2}')
    calls.feed(name="b")

    assert [(call.id, call.name, call.arguments) for call in calls.flush()] == [
        ("resp-1", "a", {"x": 1}),
        ("resp-2", "a", {"x": 2}),
        ("resp-3", "b", {}),
    ]


@pytest.mark.parametrize("raw", ["{", "[1]", '"x"', "3", "{'a': 1}", "{}{}", "[" * 100_000])
def test_arguments_that_are_no_object_are_kept_as_they_came(raw: str) -> None:
    assert assembled({"name": "a", "arguments": raw}) == [ToolCall("call-1", "a", {INVALID_ARGUMENTS: raw})]


@pytest.mark.parametrize("raw", ["", "  ", "null", "{}", None, {}])
def test_no_arguments_are_no_arguments(raw: object) -> None:
    assert assembled({"name": "a", "arguments": raw}) == [ToolCall("call-1", "a", {})]


def test_an_object_nested_beyond_reason_is_invalid() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}

    [call] = assembled({"name": "a", "arguments": deep})

    assert INVALID_ARGUMENTS in call.arguments


def test_p_33_arguments_that_never_end_are_an_error_and_not_memory() -> None:
    calls = CallAssembler()
    piece = "x" * 4096

    with pytest.raises(ProviderError, match="characters of arguments") as caught:
        for _ in range(MAX_ARGUMENT_CHARS // len(piece) + 1):
            calls.feed(index=0, arguments=piece)
    assert caught.value.retryable


def test_calls_that_never_end_are_an_error_too() -> None:
    calls = CallAssembler()

    with pytest.raises(ProviderError, match="calls"):
        for number in range(MAX_CALLS + 1):
            calls.feed(index=0, id=str(number))


def test_indexes_that_never_end_are_an_error_too() -> None:
    calls = CallAssembler()

    with pytest.raises(ProviderError, match="indexes"):
        for number in range(MAX_CALLS + 1):
            calls.feed(index=number, id="one")


def test_a_call_can_be_taken_before_the_others_are_complete() -> None:
    calls = CallAssembler()
    calls.feed(index=0, id="c1", name="first")
    calls.feed(index=1, id="c2", name="second", arguments='{"b":')

    assert calls.pop(0, '{"a":1}') == [FIRST]
    assert calls.pop(0) == []
    calls.feed(index=1, arguments="2}")
    assert calls.pop(1, "ignored") == [SECOND]
    assert not calls
    assert calls.total == 2


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers()), st.data())
@share(4)
def test_arguments_may_be_cut_anywhere(arguments: dict[str, Any], data: st.DataObject) -> None:
    raw = json.dumps(arguments)  # ASCII, so it is full of \\u escapes
    at = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    pieces = [raw[a:b] for a, b in zip([0, *at], [*at, len(raw)], strict=True)]

    calls = CallAssembler()
    calls.feed(index=0, id="c", name="n")
    for piece in pieces:
        calls.feed(index=0, arguments=piece)

    assert calls.flush() == [ToolCall("c", "n", arguments)]


PIECES = st.fixed_dictionaries(
    {},
    optional={
        "index": st.none() | st.integers(-2, 3) | st.text(max_size=1) | st.lists(st.integers(), max_size=2),
        "arguments": st.none() | st.text("xyz{", max_size=4),
        "id": st.text("ab", max_size=2),
        "name": st.text("mn", max_size=2),
    },
)


@given(st.lists(PIECES))
@share(4)
def test_no_letter_is_lost_or_doubled_however_calls_are_numbered(pieces: list[dict[str, Any]]) -> None:
    made = assembled(*pieces)

    sent = sorted("".join(piece.get("arguments") or "" for piece in pieces))
    assert sorted("".join(call.arguments.get(INVALID_ARGUMENTS, "") for call in made)) == sent
    assert (not made) is (not pieces)
