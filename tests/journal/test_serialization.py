"""Values as JSON and back."""

from __future__ import annotations

import json

import pytest

from streamcord import (
    AnswerContext,
    Attachment,
    Boundary,
    Degree,
    Emoji,
    Finish,
    Message,
    Person,
    Persona,
    Settings,
    Speaker,
    Sprite,
    Table,
    TextDelta,
    ThoughtDelta,
    ToolCall,
)
from streamcord._journal.serialization import (
    MAX_FILE_BYTES,
    FinalizedDraft,
    decode_context,
    decode_events,
    decode_message,
    decode_settings,
    encode_context,
    encode_event,
    encode_message,
    encode_settings,
)

FULL = Settings(degree=Degree.HEAVY, stop_strings=("END",))
FULL_CONTEXT = AnswerContext(
    persona=Persona("Luna", ("L",), None, (Sprite("mad", "https://example.com/a.png"),)),
    people=(Person(5, "bob", ("Bob",)),),
    emoji=(Emoji("wave", 3),),
    previous_speaker=Speaker("Luna (mad)"),
    recent_messages=("hi \ud83d", "\x00"),
)


def through_json(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("settings", [Settings(), FULL])
def test_settings_come_back_as_they_were(settings: Settings) -> None:
    body = through_json(encode_settings(settings))

    assert isinstance(body, dict)
    assert decode_settings(body) == settings


@pytest.mark.parametrize("context", [AnswerContext(), FULL_CONTEXT])
def test_a_context_comes_back_as_it_was(context: AnswerContext) -> None:
    body = through_json(encode_context(context))

    assert isinstance(body, dict)
    assert decode_context(body) == context


def test_only_what_was_set_is_written() -> None:
    assert encode_settings(Settings(typing="off")) == {"typing": "off"}


def test_secrets_stand_in_no_journal() -> None:
    assert encode_settings(Settings(secrets=("hunter2hunter2",))) == {}


def test_a_setting_of_another_version_is_left_out() -> None:
    assert decode_settings({"typing": "off", "marvels": 3}) == Settings(typing="off")


def test_a_message_comes_back_with_what_its_delivery_needs() -> None:
    message = Message(
        "Hi",
        speaker=Speaker("Luna", "https://example.com/a.png", "Luna: "),
        reply=True,
        spans=((0, 2), (5, 7)),
        boundary=Boundary.NEWLINE,
        fallback="words",
        notice=True,
    )

    body = through_json(encode_message(message))

    assert isinstance(body, dict)
    assert decode_message(body) == message


def test_file_contents_are_written_only_on_request() -> None:
    message = Message("", files=(Attachment("a.txt", b"\x00\xff", "alt", spoiler=True),))

    kept, named = encode_message(message, files=True), encode_message(message)

    assert decode_message(kept).files == message.files
    assert decode_message(named) == Message("", fallback="-# a.txt")


def test_of_a_file_too_large_to_keep_the_name_stays() -> None:
    message = Message("", files=(Attachment("big.bin", b"x" * (MAX_FILE_BYTES + 1)),))

    assert decode_message(encode_message(message, files=True)).fallback == "-# big.bin"


def test_a_table_in_a_tools_message_stays_as_its_name() -> None:
    table = Table((), (), (), "|a|")

    body = encode_message(Message("", files=(table,)), files=True)

    assert decode_message(body).fallback == "-# table.png"


def test_what_a_model_said_is_joined_and_its_end_is_known() -> None:
    events = ["a", TextDelta("b"), ThoughtDelta("hm"), ToolCall("1", "dice"), Message("six"), "c", Finish()]

    rows = [row for event in events if (row := encode_event(event))]
    heard, ended = decode_events([*rows, ["end"]])

    assert heard == ("ab", ToolCall("1", "dice"), Message("six"), "c")
    assert ended
    assert decode_events(rows)[1] is False


def test_the_end_of_a_message_that_grew_is_kept_in_its_place() -> None:
    rows = [row for event in ["a", FinalizedDraft(2), "b"] if (row := encode_event(event))]

    assert decode_events(rows)[0] == ("a", FinalizedDraft(2), "b")


def test_no_text_is_no_row() -> None:
    assert encode_event("") is None
    assert encode_event(TextDelta("")) is None
