from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from discord_twin import Twin
from discord_twin.state.models import Draft
from streamcord_bot.demo.screen import Screen, buttons_of, find_appended


def make_screen() -> tuple[Screen, io.StringIO, Twin]:
    out = io.StringIO()
    return Screen(Console(file=out, width=60, color_system=None)), out, Twin()


def test_the_name_stands_once_over_a_block_and_control_characters_are_pictures() -> None:
    screen, out, twin = make_screen()
    for text in ("**one**", "two \x1b[31m", "three"):
        screen.show(twin.state.post(twin.channel, twin.bot.user, Draft(content=text)))
    screen.show(twin.state.post(twin.channel, twin.user, Draft(content="four")))

    assert [line.rstrip() for line in out.getvalue().splitlines()] == [
        "",
        "streamcord  APP",
        "  one",
        "  two ␛[31m",
        "  three",
        "",
        "alice",
        "  four",
    ]


def test_a_message_is_drawn_again_only_when_its_words_change() -> None:
    screen, out, twin = make_screen()
    message = twin.say(twin.channel, twin.user, "one")
    screen.show(message)
    screen.show(message)
    message.draft = replace(message.draft, content="two")
    screen.show(message)
    screen.drop(message.id)
    screen.drop(message.id)

    assert out.getvalue().count("one") == 1
    assert "two\n  (edited)" in out.getvalue()
    assert out.getvalue().count("✗ deleted: two") == 1


def test_an_empty_answer_to_a_command_is_not_drawn_until_it_is_written() -> None:
    screen, out, twin = make_screen()
    message = twin.state.post(twin.channel, twin.bot.user, Draft())
    screen.show(message)
    assert out.getvalue() == ""
    message.draft = replace(message.draft, content="here")
    screen.show(message)

    assert "here" in out.getvalue()
    assert "(edited)" not in out.getvalue()


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [
        ("Once upon", "Once upon a time", "a time"),
        ("A **bold**", "A **bold word** here", "word** here"),
        ("Look:\n```py\na = 1\n```", "Look:\n```py\na = 1\nb = 2\n```", "```py\nb = 2\n```"),
        ("One.", "One.\n\nTwo.", "\nTwo."),
        ("Hello there, friend", "Something else that is longer", ""),
        ("Longer before", "Long", ""),
    ],
)
def test_of_a_message_that_grows_only_the_new_words_are_printed(before: str, now: str, new: str) -> None:
    assert find_appended(before, now) == new


def test_files_embeds_and_replies_are_shown() -> None:
    screen, out, twin = make_screen()
    first = twin.say(twin.channel, twin.user, "question " * 20, files={"a.png": b"\x89PNG\r\n\x1a\n"})
    draft = Draft(
        content="answer", reply_to=first, embeds=({"title": "T", "fields": [{"name": "n", "value": "v"}]},)
    )
    screen.show(first)
    screen.show(twin.state.post(twin.channel, twin.bot.user, draft))

    assert "▣ a.png 8 bytes" in out.getvalue()
    assert "┌ alice: question question" in out.getvalue()
    assert "│ T" in out.getvalue()
    assert "│ n: v" in out.getvalue()


def test_buttons_are_found_in_their_rows() -> None:
    _, _, twin = make_screen()
    row = {"type": 1, "components": [{"type": 2, "label": "Stop", "custom_id": "s"}, {"type": 2, "url": "u"}]}
    message = twin.state.post(twin.channel, twin.bot.user, Draft(content="x", components=(row,)))

    assert buttons_of(message) == {"Stop": "s"}


async def test_a_message_of_components_is_printed_with_its_frame_and_its_buttons() -> None:
    screen, out, twin = make_screen()
    async with twin:
        text, frame = {"type": 10, "content": "Hi there"}, {"type": 17, "components": []}
        button = {"type": 2, "style": 2, "label": "Source", "custom_id": "s"}
        frame["components"] = [{"type": 10, "content": "a | b"}, {"type": 1, "components": [button]}]
        message = twin.say(twin.channel, twin.user, "Hi")
        message.draft = replace(message.draft, content="", components=(text, frame))
        screen.show(message)

    assert "  Hi there\n  │ a | b" in out.getvalue()
    assert buttons_of(message) == {"Source": "s"}
