from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal

import pytest

from streamcord._events import Attachment, Message
from streamcord._exceptions import SettingsError, ToolError
from streamcord._providers.tools import as_parts
from streamcord.providers import Image, Post, Text, tool


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@tool
async def roll(sides: Annotated[int, "how many sides"] = 6, *, loaded: bool = False) -> str:
    """Roll a die."""
    return f"{sides} {loaded}"


def nothing(_: Message) -> None:
    pass


def test_a_function_describes_itself() -> None:
    assert (roll.spec.name, roll.spec.description) == ("roll", "Roll a die.")
    assert roll.spec.parameters == {
        "type": "object",
        "properties": {
            "sides": {"type": "integer", "description": "how many sides"},
            "loaded": {"type": "boolean"},
        },
    }


async def test_it_can_still_be_called() -> None:
    assert await roll(8) == "8 False"


def test_annotations_become_a_schema() -> None:
    @tool
    def mixed(
        colour: Colour,
        tags: list[str],
        size: float | None = None,
        kind: Literal["a", "b"] = "a",
        extra: dict[str, int] | None = None,
        anything: Any = None,
    ) -> None:
        pass

    assert mixed.spec.parameters["required"] == ["colour", "tags"]
    assert mixed.spec.parameters["properties"] == {
        "colour": {"enum": ["red", "blue"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "kind": {"enum": ["a", "b"]},
        "extra": {"anyOf": [{"type": "object"}, {"type": "null"}]},
        "anything": {},
    }


def test_the_post_is_not_the_models_to_give() -> None:
    @tool
    async def show(text: str, post: Post) -> None:
        post(text, Attachment("a.txt", b""))

    posted: list[Message] = []
    bound = show.bind({"text": "x"}, Post(posted.append))

    assert list(show.spec.parameters["properties"]) == ["text"]
    bound["post"]("Look", Attachment("a.txt", b""))
    assert posted == [Message("Look", files=(Attachment("a.txt", b""),))]
    with pytest.raises(ToolError, match="no parameter 'post'"):
        show.bind({"text": "x", "post": 1}, Post(nothing))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"sides": "six"}, "'sides' must be integer"),
        ({"sides": True}, "'sides' must be integer"),
        ({"loaded": 1}, "'loaded' must be boolean"),
        ({"side": 6}, "no parameter 'side'; there are: sides, loaded"),
        ({"__invalid__": "{sides: 6"}, "not a JSON object"),
    ],
)
def test_arguments_that_do_not_fit_are_explained(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ToolError, match=complaint):
        roll.bind(arguments, Post(nothing))


def test_a_missing_argument_is_named() -> None:
    @tool
    def add(one: float, other: float) -> float:
        return one + other

    assert add.bind({"one": 1, "other": 2.5}, Post(nothing)) == {"one": 1, "other": 2.5}
    with pytest.raises(ToolError, match="'other' is missing"):
        add.bind({"one": 1}, Post(nothing))


def starred(*numbers: int) -> None:
    """It takes any number of them."""


def strange(when: set[int]) -> None:
    """JSON has no sets."""


@pytest.mark.parametrize("function", [starred, strange])
def test_a_function_that_cannot_be_described_is_refused_at_once(function: Callable[..., Any]) -> None:
    with pytest.raises(SettingsError):
        tool(function)


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (None, (Text("Done."),)),
        ("", (Text("(nothing)"),)),
        ("six", (Text("six"),)),
        (Image(b"x"), (Image(b"x"),)),
        (["see", Image(b"x")], (Text("see"), Image(b"x"))),
        ({"a": "é"}, (Text('{"a": "é"}'),)),
        ([1, 2], (Text("[1, 2]"),)),
        (Colour.RED, (Text('"Colour.RED"'),)),
        ({1: {(2, 3): 4}}, (Text("{1: {(2, 3): 4}}"),)),
    ],
)
def test_whatever_a_tool_returns_is_told(result: object, parts: tuple[object, ...]) -> None:
    assert as_parts(result) == parts


def test_a_function_without_a_name_is_no_tool() -> None:
    with pytest.raises(
        SettingsError, match="tool must be a function with a name, by which the model calls it"
    ):
        tool(lambda sides: sides)
