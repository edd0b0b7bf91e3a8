from __future__ import annotations

import json
from typing import Any

import pytest

from providers.loopback import DONE, chat
from providers.streams import bytewise, slices, whole
from streamcord._events import Finish, KeepAlive, ProviderEvent, TextDelta
from streamcord._exceptions import (
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    SettingsError,
    Truncated,
)
from streamcord._providers.apis.registry import OpenAIChat
from streamcord._providers.response_reader import MAX_PAGE_BYTES, ResponseReader, Timeouts, parse_error_body


def reader(**settings: Any) -> ResponseReader:
    return ResponseReader(OpenAIChat().decoder(), **settings)


def read(*pieces: bytes) -> list[ProviderEvent]:
    answer = reader()
    said = [event for piece in pieces for event in answer.feed(piece)]
    return [*said, *answer.flush(), *answer.finish()]


def test_bytes_become_events_and_comments_signs_of_life() -> None:
    assert read(b": one\n\n: two\n\n" + chat("Hi") + b": three\n\n" + chat("", "stop") + DONE) == [
        KeepAlive(),
        TextDelta("Hi"),
        KeepAlive(),
        Finish(),
    ]


def test_a_piece_of_a_tool_call_is_a_sign_of_life() -> None:
    piece = chat(tool_calls=[{"index": 0, "id": "c", "function": {"name": "n"}}])

    assert reader().feed(piece) == [KeepAlive()]


def test_p_10_nothing_is_read_behind_the_end_mark() -> None:
    answer = reader()

    assert answer.feed(chat("Hi", "stop") + DONE + chat("No")) == [TextDelta("Hi")]
    assert answer.ended
    assert answer.finish() == [Finish()]


@pytest.mark.parametrize("cut", [whole, bytewise, slices(4, 9)])
@pytest.mark.parametrize("white", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (json.dumps({"error": {"code": 429, "message": "slow"}}).encode(), RateLimited),
        (json.dumps([{"error": {"status": "UNAVAILABLE"}}]).encode(), Overloaded),
        (json.dumps({"choices": [{"message": {"content": "whole"}}]}).encode(), RequestRejected),
        (b"<!doctype html><title>Just a moment</title>", RequestRejected),
        (b"{", RequestRejected),
        (b"[" * 100_000, RequestRejected),
    ],
)
def test_p_16_a_page_with_status_200_is_an_error(cut: Any, white: bytes, body: bytes, kind: type) -> None:
    answer = reader()

    for piece in cut(white + body):
        if not answer.ended:
            assert answer.feed(piece) == []
    assert answer.flush() == []
    with pytest.raises(kind):
        answer.finish()


def test_a_page_is_not_read_beyond_its_cap() -> None:
    answer = reader()
    answer.feed(b"<" * MAX_PAGE_BYTES)

    assert answer.ended


def test_a_body_beyond_its_cap_is_an_error_after_what_it_said() -> None:
    answer = reader(max_body_bytes=150)

    assert answer.feed(chat("Hi")) == [TextDelta("Hi")]
    with pytest.raises(ProviderError, match="more than 150 bytes"):
        answer.feed(b": " + b"x" * 150)


def test_no_body_cap_is_no_cap() -> None:
    assert reader(max_body_bytes=0).feed(chat("x" * 100_000)) == [TextDelta("x" * 100_000)]


def test_the_next_bytes_may_take_the_idle_time() -> None:
    answer = reader(timeouts=Timeouts(idle=120, silent=300, closing=5))
    assert answer.read_timeout == 120

    answer.feed(chat("Hi"), waited_s=100)
    assert answer.read_timeout == 120

    answer.feed(chat("", "stop"), waited_s=100)
    assert answer.read_timeout == 5


def test_signs_of_life_alone_are_silence() -> None:
    answer = reader(timeouts=Timeouts(idle=120, silent=300))

    answer.feed(b": ping\n\n", waited_s=100)
    answer.feed(chat(), waited_s=100)
    assert answer.read_timeout == 100
    answer.feed(b": ping\n\n", waited_s=100)
    assert answer.read_timeout == 0

    answer.feed(chat("Hi"))
    assert answer.read_timeout == 120


def test_p_08_words_of_an_event_without_its_blank_line_come_before_the_truncation() -> None:
    answer = reader()

    assert answer.feed(chat("All").rstrip(b"\n")) == []
    assert answer.flush() == [TextDelta("All")]
    with pytest.raises(Truncated, match="It closed before"):
        answer.finish("It closed")


def test_half_an_event_at_the_end_is_not_what_went_wrong() -> None:
    answer = reader()

    assert answer.feed(chat("All") + chat("half")[:-9]) == [TextDelta("All")]
    assert answer.flush() == []
    with pytest.raises(Truncated, match="It broke before"):
        answer.finish("It broke")


@pytest.mark.parametrize("name", ["connect", "idle", "silent", "closing"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_timeout_is_a_number_of_seconds(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=name):
        Timeouts(**{name: value})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", ""),
        (b'{"error": {"message": "no"}}', "no"),
        (b'{"message": "nope"}', "nope"),
        (b"<html>big", "it sent a web page"),
        (b"upstream connect error", "upstream connect error"),
        (b'{"odd": 1}', '{"odd": 1}'),
        (b"x" * 1000, "x" * 300),
        (b"\xff", "\ufffd"),
    ],
)
def test_a_refusal_is_read_in_whatever_form_it_comes(body: bytes, message: str) -> None:
    assert parse_error_body(body).message == message
