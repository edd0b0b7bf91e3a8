from __future__ import annotations

import pytest

from streamcord import Message, Pipeline, Settings
from streamcord._core.reading import Reading
from streamcord._core.rules.secrets import HIDDEN, hide_secrets

TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl." + "aB3-_x" * 6 + "yz"
WEBHOOK = "wH9-_k" * 11 + "zz"


def hidden(text: str) -> str:
    for start, end, after in reversed(hide_secrets(Reading(text, Settings()))):
        text = text[:start] + after + text[end:]
    return text


@pytest.mark.parametrize("frame", ["{}", "It is {}, keep it.", "`{}`", "```\nTOKEN={}\n```", "({})"])
def test_the_token_of_a_bot_is_not_shown(frame: str) -> None:
    assert hidden(frame.format(TOKEN)) == frame.format(HIDDEN)


def test_the_token_of_a_webhook_is_not_shown() -> None:
    address = "https://discord.com/api/webhooks/123456789012345678/"

    assert hidden(f"{address}{WEBHOOK} and {TOKEN}") == f"{address}{HIDDEN} and {HIDDEN}"


@pytest.mark.parametrize(
    "text",
    [
        "a.b.c",
        "www.example.com/some.very.long/path",
        "1.2.3-beta",
        "import os.path.join as join",
        "https://discord.com/api/webhooks/123/short",
        "com.example.application.MainActivityWithAVeryLongNameIndeed",
        "x" * 1000,
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert hidden(text) == text


def test_it_is_recorded_like_every_change() -> None:
    pipeline = Pipeline(Settings())
    events = [*pipeline.feed(f"Sure: {TOKEN}\n"), *pipeline.flush()]
    (message,) = [event for event in events if isinstance(event, Message)]

    assert message.content == f"Sure: {HIDDEN}"
    assert [edit.rule for edit in message.edits] == ["secret"]


def test_the_token_of_a_webhook_alone_wakes_the_rule() -> None:
    address = "https://discord.com/api/webhooks/123456789012345678/"
    pipeline = Pipeline(Settings())
    events = [*pipeline.feed(f"Post to {address}{WEBHOOK} now"), *pipeline.flush()]
    assert [event.content for event in events if isinstance(event, Message)] == [
        f"Post to {address}[removed] now"
    ]
