from __future__ import annotations

import io
import json
from typing import Any

import pytest

from streamcord import Attachment, Captured, Halt, Message, Settings, Speaker
from streamcord._preview.planned_answer import (
    Defaults,
    PlannedAnswer,
    as_chunks,
    describe,
    describe_message,
    plan,
    run_batch,
)
from streamcord.records import Added, Dropped, Replaced


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
    shown.record(Message("plain"))
    shown.record(Message("**hi**", edits=(edit,), added=(Added("**", "auto_close"),)))
    shown.record(Replaced("surrogates", "\ud800", "\ufffd", ((9, 10),)))
    shown.record(Captured("think", "long ", ((10, 20),), more=True))
    shown.record(Captured("think", "thought", ((20, 30),)))
    shown.record(Captured("details", "memo", ((30, 40),)))
    shown.record(Dropped("..", "fragment", ((40, 42),)))
    shown.record(Halt("message_cap"))

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
    assert list(as_chunks("abcde", 2)) == ["ab", "cd", "e"]
    assert list(as_chunks("abcde", 0)) == ["abcde"]
    assert list(as_chunks("", 3)) == []


def batch(*lines: object, defaults: Defaults | None = None) -> tuple[int, list[dict[str, Any]], str]:
    """Run lines (text as it is, anything else as JSON) and read what comes back."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    out, err = io.StringIO(), io.StringIO()
    status = run_batch(raw, out, err, defaults or Defaults())
    return status, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def contents(answer: dict[str, Any]) -> list[str]:
    return [message["content"] for message in answer["messages"]]


def test_every_line_is_answered_under_its_id() -> None:
    status, answers, err = batch({"id": "a", "text": "One.\nTwo."}, {"id": 7, "chunks": ["Thr", "ee."]})

    assert [answer["id"] for answer in answers] == ["a", 7]
    assert [contents(answer) for answer in answers] == [["One.", "Two."], ["Three."]]
    assert (status, err) == (0, "")
    assert list(answers[0]) == ["id", "messages", "captured", "replaced", "added", "dropped", "halt"]


def test_settings_are_those_of_the_line() -> None:
    text = "One. Two.\nThree."
    _, answers, _ = batch(
        {"id": 0, "text": text, "settings": {"degree": 0}},
        {"id": 1, "text": text, "settings": {"degree": "heavy", "humanize": False}},
        {"id": 2, "text": "Luna: hi", "settings": {"persona": {"name": "Luna"}}},
    )

    assert [contents(answer) for answer in answers] == [[text], ["One.", "Two.", "Three."], ["hi"]]


def test_the_seed_is_zero_unless_the_line_says_otherwise() -> None:
    text = "\n".join(f"Line {number}." for number in range(30))
    _, answers, _ = batch({"text": text}, {"text": text, "seed": 0}, {"text": text, "seed": 1})

    assert answers[0] == answers[1] != answers[2]


def test_what_the_command_line_says_holds_for_lines_that_say_nothing() -> None:
    defaults = Defaults({"degree": 0}, slice=1, seed=1)
    text = "One.\nTwo."
    _, answers, _ = batch({"text": text}, {"text": text, "settings": {"degree": 1}}, defaults=defaults)

    assert [contents(answer) for answer in answers] == [[text], ["One.", "Two."]]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8 (invalid start byte at byte 10)"),
        ([1], "not a JSON object"),
        ({"id": 1}, "needs either text or chunks"),
        ({"text": "a", "chunks": []}, "needs either text or chunks"),
        ({"text": 5}, "text must be a string"),
        ({"chunks": "abc"}, "chunks must be a list of strings"),
        ({"chunks": ["a", 1]}, "chunks must be a list of strings"),
        ({"text": "a", "seed": "x"}, "seed must be a whole number, not 'x'"),
        ({"text": "a", "seed": True}, "seed must be a whole number, not True"),
        ({"text": "a", "settings": []}, "settings must be an object, not []"),
        (
            {"text": "a", "settings": {"message_length": 5}},
            "settings: message_length must be a whole number from 32",
        ),
        ({"text": "a", "settings": {"degre": 1}}, "did you mean degree?"),
        ({"text": "a", "setings": {}}, "unknown key 'setings'"),
    ],
)
def test_a_bad_line_is_named_and_the_good_ones_are_still_answered(line: object, complaint: str) -> None:
    status, answers, err = batch({"id": 1, "text": "One."}, line, {"id": 3, "text": "Three."})

    assert [answer["id"] for answer in answers] == [1, 3]
    assert err.startswith("streamcord: line 2: ")
    assert complaint in err
    assert err.count("\n") == 1
    assert status == 2


def test_blank_lines_count_but_are_not_answered() -> None:
    status, answers, err = batch(
        b"\n", b"  \r\n", b"\xef\xbb\xbf" + json.dumps({"id": 1, "text": "a"}).encode(), b"x"
    )

    assert [answer["id"] for answer in answers] == [1]
    assert err.startswith("streamcord: line 4: ")
    assert status == 2


def test_an_answer_of_any_characters_is_one_line() -> None:
    status, answers, _ = batch({"id": "\u2028", "text": "a\u2028b\x85c\x00d\ud800"})

    assert len(answers) == 1
    assert status == 0
