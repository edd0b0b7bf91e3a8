from __future__ import annotations

import json

from streamcord import (
    Added,
    Attachment,
    Captured,
    Dropped,
    Halt,
    Message,
    Replaced,
    Settings,
    Speaker,
)
from streamcord._lab.outcome import PlannedAnswer, as_slices, describe, describe_message, plan


def test_a_message_is_one_object_with_six_keys() -> None:
    message = Message(
        "hi",
        1.5,
        Speaker("Luna", "https://x.y/a.png", "Luna (mad): "),
        reply=True,
        files=(Attachment("t.png", b"12345", "a table"),),
        spans=((0, 2), (4, 6)),
    )

    assert describe_message(message) == {
        "content": "hi",
        "delay": 1.5,
        "speaker": {"name": "Luna", "avatar": "https://x.y/a.png", "label": "Luna (mad): "},
        "reply": True,
        "files": [{"name": "t.png", "size": 5, "alt": "a table"}],
        "spans": [[0, 2], [4, 6]],
    }


def test_nobody_in_particular_is_null() -> None:
    assert describe_message(Message("hi"))["speaker"] is None


def test_an_outcome_gathers_what_is_not_in_the_messages() -> None:
    shown = PlannedAnswer()
    edit = Replaced("own_name", "Luna: ", "", ((0, 6),))
    shown.note(Message("plain"))
    shown.note(Message("**hi**", edits=(edit,), added=(Added("**", "auto_close"),)))
    shown.note(Replaced("surrogates", "\ud800", "\ufffd", ((9, 10),)))
    shown.note(Captured("think", "long ", ((10, 20),), more=True))
    shown.note(Captured("think", "thought", ((20, 30),)))
    shown.note(Captured("details", "memo", ((30, 40),)))
    shown.note(Dropped("..", "fragment", ((40, 42),)))
    shown.note(Halt("message_cap"))

    outcome = describe(shown)

    assert [message["content"] for message in outcome["messages"]] == ["plain", "**hi**"]
    assert outcome["captured"] == {"think": ["long thought"], "details": ["memo"]}
    assert outcome["replaced"] == [
        {"rule": "own_name", "before": "Luna: ", "after": "", "spans": [[0, 6]]},
        {"rule": "surrogates", "before": "\ud800", "after": "\ufffd", "spans": [[9, 10]]},
    ]
    assert outcome["added"] == [{"message": 1, "text": "**", "why": "auto_close", "where": "after"}]
    assert outcome["dropped"] == [{"text": "..", "reason": "fragment", "spans": [[40, 42]]}]
    assert outcome["halt"] == "message_cap"
    json.dumps(outcome)


def test_an_answer_is_planned_as_it_would_be_sent() -> None:
    outcome = describe(plan(["<think>hm</think>One.\nTwo."], Settings(), 0))

    assert [message["content"] for message in outcome["messages"]] == ["One.", "Two."]
    assert [message["reply"] for message in outcome["messages"]] == [True, False]
    assert outcome["captured"]["think"] == ["hm"]
    assert outcome["halt"] is None


def test_the_seed_decides_the_delays_and_nothing_else_does() -> None:
    text = "\n".join(f"Line number {number}." for number in range(30))
    delays = [
        [m["delay"] for m in describe(plan([text], Settings(), seed))["messages"]] for seed in (1, 1, 2)
    ]

    assert delays[0] == delays[1] != delays[2]


def test_slices_are_the_text() -> None:
    assert list(as_slices("abcde", 2)) == ["ab", "cd", "e"]
    assert list(as_slices("abcde", 0)) == ["abcde"]
    assert list(as_slices("", 3)) == []
