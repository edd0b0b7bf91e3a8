from __future__ import annotations

import json
from typing import Any

import pytest

from streamcord._events import Finish, KeepAlive, TextDelta, ThoughtDelta, ToolCall, Usage
from streamcord._exceptions import SettingsError
from streamcord._providers.presets import PRESETS
from streamcord._providers.prompt import (
    AssistantMessage,
    Image,
    Options,
    Prompt,
    Text,
    ToolResult,
    ToolSpec,
    UserMessage,
    assistant,
    check_prompt,
    system,
    tool_result,
    user,
)


def test_prompts_add_up_to_a_conversation() -> None:
    call = ToolCall("1", "roll")

    prompt = (
        system("You are Luna.")
        + user("Roll!")
        + assistant("Sure.", call)
        + tool_result(call, "6", failed=True)
        + system("Be brief.")
    )

    assert prompt == Prompt(
        (
            UserMessage((Text("Roll!"),)),
            AssistantMessage((Text("Sure."), call)),
            ToolResult("1", "roll", (Text("6"),), failed=True),
        ),
        "You are Luna.\n\nBe brief.",
    )


def test_tools_and_the_last_prefill_survive_an_addition() -> None:
    spec = ToolSpec("roll")

    assert (Prompt(tools=(spec,), prefill="a") + user("x")).prefill == "a"
    assert (Prompt(prefill="a") + Prompt(tools=(spec,), prefill="b")) == Prompt(tools=(spec,), prefill="b")


def test_events_become_the_message_that_they_were() -> None:
    signed = ThoughtDelta("", signature="s1")
    call = ToolCall("1", "roll", {"sides": 6}, "s2")

    message = AssistantMessage.from_events(
        [
            Usage(1),
            ThoughtDelta("Let "),
            ThoughtDelta("me."),
            signed,
            ThoughtDelta("More.", signature="s3"),
            ThoughtDelta("Short.", "summary"),
            KeepAlive(),
            TextDelta("A "),
            TextDelta("die."),
            call,
            TextDelta("Then."),
            Finish(),
        ]
    )

    assert message.parts == (
        ThoughtDelta("Let me.", signature="s1"),
        ThoughtDelta("More.", signature="s3"),
        ThoughtDelta("Short.", "summary"),
        Text("A die."),
        call,
        Text("Then."),
    )


def test_an_image_is_bytes_or_an_address() -> None:
    assert Image(b"\x00\x01", "image/gif").address == "data:image/gif;base64,AAE="
    assert Image(url="https://example.org/a.png").address == "https://example.org/a.png"
    assert "\\x00" not in repr(Image(b"\x00"))
    with pytest.raises(SettingsError):
        Image()
    with pytest.raises(SettingsError):
        Image(b"x", url="https://example.org")


def test_forty_stop_strings_of_two_hundred_characters_are_allowed_and_repeats_do_not_count() -> None:
    stops = [f"{number:03}" + "x" * 197 for number in range(40)]

    assert Options(stop=(*stops, stops[0])).stop == tuple(stops)


@pytest.mark.parametrize(
    "wrong",
    [
        {"stop": tuple(str(number) for number in range(41))},
        {"stop": ("x" * 201,)},
        {"stop": ("",)},
        {"stop": "abc"},
        {"stop": (1,)},
        {"temperature": -1},
        {"temperature": float("nan")},
        {"temperature": "hot"},
        {"top_p": 1.1},
        {"max_tokens": 0},
        {"reasoning": "endless"},
    ],
)
def test_options_that_cannot_be_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Options(**wrong)


def test_more_stops_join_those_of_the_options_as_far_as_there_is_room() -> None:
    options = Options(stop=("a", "b"))

    assert options.with_stops(["b", "c"]).stop == ("a", "b", "c")
    assert len(options.with_stops(map(str, range(100))).stop) == 40


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("hi", r"not str: write provider\.stream\(user\(text\)\)"),
        ([{"role": "user", "content": "hi"}], r"not list: write provider\.stream\(system\(\.\.\.\) \+ user"),
    ],
)
def test_what_is_no_prompt_is_refused_with_what_to_write(given: object, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        check_prompt(given)


def test_a_prompt_is_made_of_texts_and_images() -> None:
    prompt = user("hi", Image(b"x"))

    assert check_prompt(prompt) is prompt
    with pytest.raises(TypeError, match="images and files, not of int"):
        user(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", ["openai", "openai-responses", "anthropic", "google"])
def test_blank_text_before_a_tool_call_is_not_replayed(preset: str) -> None:
    call = ToolCall("c1", "look", {})
    answer = AssistantMessage.from_events([TextDelta("  "), TextDelta("\n"), call, Finish()])
    prompt = user("Hi") + Prompt((answer,)) + tool_result(call, "done")

    body = json.dumps(dict(PRESETS[preset].api.encode(prompt, Options(model="m")).body))

    assert answer.parts == (call,)
    assert "  \\n" not in body


def test_a_block_of_white_space_is_not_sent_to_anthropic() -> None:
    prompt = user("Hi", " \n") + Prompt((AssistantMessage((Text("\n"), ToolCall("c1", "look", {}))),))

    messages = PRESETS["anthropic"].api.encode(prompt, Options(model="m")).body["messages"]

    assert [block["type"] for message in messages for block in message["content"]] == ["text", "tool_use"]
