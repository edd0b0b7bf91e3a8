"""The values that cross the seams: frozen, comparable, and complete."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any, get_args

import pytest

from streamcord import _events as events
from streamcord._events import (
    Boundary,
    Captured,
    Citation,
    Degree,
    Dropped,
    FencedCode,
    Finish,
    FinishReason,
    Flush,
    GeneratedImage,
    Halt,
    KeepAlive,
    Message,
    ProviderEvent,
    Replaced,
    Seam,
    Segment,
    StreamPosition,
    Table,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    TurnEvent,
    Usage,
    Words,
)

VALUES = [getattr(events, name) for name in events.__all__ if is_dataclass(getattr(events, name))]


@pytest.mark.parametrize("kind", VALUES)
def test_no_value_can_be_changed_or_grow(kind: type[Any]) -> None:
    value = object.__new__(kind)
    names = [field.name for field in fields(kind)] or ["anything"]
    with pytest.raises((FrozenInstanceError, TypeError)):
        setattr(value, names[0], None)
    assert not hasattr(value, "__dict__")


def test_values_that_say_the_same_are_equal() -> None:
    assert TextDelta("a") == TextDelta("a") != TextDelta("b")
    assert hash(Segment("a", Boundary.FINAL, ((0, 1),))) == hash(Segment("a", Boundary.FINAL, ((0, 1),)))


def test_two_calls_do_not_share_their_arguments() -> None:
    first, second = ToolCall("1", "roll"), ToolCall("2", "roll")
    assert first.arguments == {}
    assert first.arguments is not second.arguments


def test_degrees_are_ordered_numbers() -> None:
    assert [int(degree) for degree in sorted(Degree)] == [0, 1, 2, 3]
    assert Degree.NONE < Degree.LIGHT < Degree.MEDIUM < Degree.HEAVY


def test_boundaries_have_the_names_of_the_seeds() -> None:
    assert [str(boundary) for boundary in Boundary] == [
        "code_open", "code_close", "newline", "period", "overflow", "flush", "attachment", "final", "tool_call",
    ]  # fmt: skip


def test_a_provider_may_say_eleven_things_and_a_turn_five() -> None:
    assert set(get_args(ProviderEvent)) == {
        TextDelta,
        ThoughtDelta,
        ToolCall,
        GeneratedImage,
        Citation,
        Usage,
        Finish,
        Flush,
        KeepAlive,
        Seam,
        StreamPosition,
    }
    assert set(get_args(TurnEvent)) == {Message, Captured, Replaced, Dropped, Halt}


def test_what_is_not_said_has_a_plain_default() -> None:
    assert Finish().reason is FinishReason.STOP
    message = Message("hi")
    assert (message.delay, message.reply, message.files, message.fallback) == (0.0, False, (), None)
    assert message.boundary is Boundary.FINAL
    assert not Captured("think", "", ()).more


def test_every_public_name_is_there_and_sorted() -> None:
    assert events.__all__ == sorted(events.__all__)
    assert all(hasattr(events, name) for name in events.__all__)


def long_table(rows: int, text: str) -> Table:
    return Table(((Words("a"),),), (((Words(text),),),) * rows, (), "")


def test_the_alt_text_of_a_long_table_says_how_many_rows_are_left() -> None:
    table = long_table(300, "cell\nmore")

    assert table.plain == "a" + "\ncell more" * 300
    assert table.alt.endswith("rows")
    assert len(table.alt) <= 1024
    shown = table.alt.count("cell")
    assert table.alt.splitlines()[-1] == f"… and {300 - shown} more rows"


def test_one_row_that_is_too_long_for_an_alt_text_is_cut() -> None:
    assert len(Table(((Words("a" * 2000),),), (), (), "").alt) == 1024
    assert long_table(1, "b" * 1030).alt == "a\n… and 1 more row"


@pytest.mark.parametrize("heading", ["", "## Sold\n", "**Sold**\n\n", "__Sold__:\n"])
def test_a_code_block_is_found_below_a_heading(heading: str) -> None:
    found = FencedCode.find(f"{heading}```bars\ntea 3\n```")
    assert found == FencedCode("bars", "tea 3", heading.strip())


@pytest.mark.parametrize(
    "content",
    [
        "words",
        "words\n```bars\nx\n```",
        "## a ```bars\nx\n```",
        " ```bars\nx\n```",
        "```\nx\n```",
        "```bars\nx\n``` y",
    ],
)
def test_what_is_more_than_a_code_block_is_none(content: str) -> None:
    assert FencedCode.find(content) is None
