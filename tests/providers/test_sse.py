from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.streams import bytewise, frames, slices, whole
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.sse import Comment, SSEDecoder

KINDS = [b"data: a", b"data:b", b"data", b"event: e", b": hi", b"id: 1", b"retry: 5", b"x", b"", b"\xff\xfe"]
STREAMS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(KINDS), st.binary(max_size=12), st.text(max_size=8).map(str.encode)),
        st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r", b""]),
    ),
    max_size=20,
).map(lambda pairs: b"".join(part for pair in pairs for part in pair))


def test_an_event_ends_at_a_blank_line() -> None:
    assert frames([b"data: one\n\ndata: two\n\n"]) == [
        ServerEvent("message", "one"),
        ServerEvent("message", "two"),
    ]


def test_an_event_leaves_at_the_byte_that_ends_it() -> None:
    reader = SSEDecoder()

    assert reader.feed(b"data: one\r\n") == []
    assert reader.feed(b"\r") == [ServerEvent("message", "one")]
    assert reader.feed(b"\ndata: two\n\n") == [ServerEvent("message", "two")]


def test_lines_of_data_are_joined_by_newlines() -> None:
    assert frames([b"data: a\ndata\ndata:  b\n\n"]) == [ServerEvent("message", "a\n\n b")]


def test_an_event_has_the_name_it_was_given_and_only_that_event() -> None:
    assert frames([b"event: ping\ndata: 1\n\ndata: 2\n\n"]) == [
        ServerEvent("ping", "1"),
        ServerEvent("message", "2"),
    ]


def test_a_name_without_data_is_no_event_and_names_no_other() -> None:
    assert frames([b"event: ping\n\ndata: 1\n\n"]) == [ServerEvent("message", "1")]


def test_a_comment_is_reported_at_once_even_inside_an_event() -> None:
    assert frames([b"data: 1\n: OPENROUTER PROCESSING\n:\ndata: 2\n\n"]) == [
        Comment("OPENROUTER PROCESSING"),
        Comment(""),
        ServerEvent("message", "1\n2"),
    ]


def test_ids_retries_and_unknown_fields_mean_nothing() -> None:
    assert frames([b"id: 1\nretry: 9\nfoo: bar\nfoo\nDATA: no\ndata: yes\n\n"]) == [
        ServerEvent("message", "yes"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_p_02_a_slice_inside_every_sequence_and_line_end_changes_nothing(end: str) -> None:
    content = f"data: é—😀{end}data: 友{end}{end}: ok{end}data: 2{end}{end}".encode()
    expected = [ServerEvent("message", "é—😀\n友"), Comment("ok"), ServerEvent("message", "2")]

    for at in range(len(content) + 1):
        assert frames([content[:at], content[at:]]) == expected
    assert frames(bytewise(content)) == expected


def test_p_03_only_cr_and_lf_end_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"

    assert frames([f"data: {text}\n\n".encode()]) == [ServerEvent("message", text)]


def test_bytes_that_are_not_utf_8_become_replacement_characters() -> None:
    expected = [ServerEvent("message", "a\ufffdb\ufffd")]

    assert frames([b"data: a\xffb\xe5\x8f\n\n"]) == expected
    assert frames(bytewise(b"data: a\xffb\xe5\x8f\n\n")) == expected


def test_a_byte_order_mark_is_skipped_once_and_only_at_the_start() -> None:
    bom = "\ufeff"

    assert frames(bytewise(f"{bom}data: {bom}1\n\n{bom}data: 2\n\n".encode())) == [
        ServerEvent("message", f"{bom}1"),
    ]


@pytest.mark.parametrize("rest", [b"", b"\n", b"\r\n", b"\r"])
def test_p_08_the_last_event_needs_neither_blank_line_nor_newline(rest: bytes) -> None:
    assert frames([b"data: 1\n\nevent: e\ndata: 2" + rest]) == [
        ServerEvent("message", "1"),
        ServerEvent("e", "2"),
    ]


def test_a_flushed_reader_is_as_new() -> None:
    reader = SSEDecoder()
    reader.feed(b"event: e\ndata: 1\r")

    assert reader.flush() == [ServerEvent("e", "1")]
    assert reader.flush() == []
    assert reader.feed(b"\ndata: 2\n\n") == [ServerEvent("message", "2")]


@pytest.mark.parametrize("cut", [whole, bytewise, slices(1, 30)])
@pytest.mark.parametrize("end", [b"\n\n", b""])
def test_a_line_over_its_cap_is_left_out_and_the_others_are_read(cut: object, end: bytes) -> None:
    reader = SSEDecoder(max_line_bytes=20)
    said = []

    assert callable(cut)
    for piece in [*cut(b"data: 1\n\nevent: e\ndata: " + b"x" * 15 + end), b"\n\ndata: 2\n\n"]:
        said += reader.feed(piece)

    assert [*said, *reader.flush()] == [
        ServerEvent("message", "1"),
        ServerEvent("e", "", is_too_long=True),
        ServerEvent("message", "2"),
    ]


def test_many_events_over_the_cap_end_the_reading() -> None:
    reader = SSEDecoder(max_line_bytes=20)

    with pytest.raises(ProviderError, match="more than 100 events"):
        for _ in range(102):
            reader.feed(b"data: " + b"x" * 15 + b"\n\n")


def test_a_line_of_exactly_its_cap_is_read() -> None:
    assert frames([b"data: " + b"x" * 14 + b"\n\n"], max_line_bytes=20) == [ServerEvent("message", "x" * 14)]


@pytest.mark.parametrize("cut", [whole, bytewise])
def test_an_event_that_never_ends_is_capped(cut: object) -> None:
    reader = SSEDecoder(max_event_chars=100)

    assert callable(cut)
    for piece in cut(b"data:\n" * 101):
        assert reader.feed(piece) == []
    assert reader.feed(b"data: 1\n\n") == [ServerEvent("message", "", is_too_long=True)]


def test_the_cost_is_linear_in_bytes_however_they_are_sliced() -> None:
    def cost(length: int) -> float:
        reader = SSEDecoder()
        began = time.process_time()
        for _ in range(length):
            reader.feed(b"xxxxxxxxxxxxxxxx")
        reader.flush()
        return time.process_time() - began

    cost(1000)
    small = min(cost(15_000) for _ in range(3))
    large = min(cost(60_000) for _ in range(3))

    assert large < 10 * small  # 4 for a line, 16 for a square


@given(STREAMS, st.integers(0, 1000))
def test_slicing_never_matters(content: bytes, seed: int) -> None:
    expected = frames(whole(content))

    assert frames(bytewise(content)) == expected
    assert frames(slices(seed, 5)(content)) == expected


@given(STREAMS, st.integers(0, 1000))
def test_caps_raise_provider_errors_and_at_the_same_place(content: bytes, seed: int) -> None:
    def run(pieces: list[bytes]) -> tuple[list[object], bool]:
        reader = SSEDecoder(max_line_bytes=8, max_event_chars=6)
        said: list[object] = []
        try:
            for piece in pieces:
                said += reader.feed(piece)
            said += reader.flush()
        except ProviderError:
            return said, True
        return said, False

    assert run(slices(seed, 3)(content)) == run(whole(content)) == run(bytewise(content))
