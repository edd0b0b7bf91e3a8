from __future__ import annotations

import pytest

from streamcord._events import Finish, ProviderEvent, TextDelta, Usage
from streamcord._exceptions import Overloaded, ProviderError, Truncated
from streamcord._providers.apis.base import (
    CumulativeTextDiffer,
    Decoder,
    ServerEvent,
    count,
    dict_items,
    drop_none,
    merge,
    parse,
    read_usage,
)
from streamcord._providers.prompt import signature_for, tag_signature


class Parrot(Decoder):
    """Says what it hears; `!` breaks it, `.` ends it, `?` says how it ended."""

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        out.append(TextDelta(event.data))
        if event.data.endswith("!"):
            raise Overloaded("broke")
        if event.data.endswith("?"):
            self.finish = Finish()
        self.ended = event.data.endswith(".")


def hear(decoder: Decoder, *said: str) -> list[ProviderEvent]:
    return [event for data in said for event in decoder.feed(ServerEvent("message", data))]


def test_words_that_came_with_a_failure_come_before_it() -> None:
    decoder = Parrot()

    assert hear(decoder, "a", "b!", "c") == [TextDelta("a"), TextDelta("b!")]
    assert decoder.ended
    with pytest.raises(Overloaded):
        decoder.flush()


def test_an_end_without_a_terminal_event_is_a_truncation_that_says_why() -> None:
    decoder = Parrot()
    hear(decoder, "a")

    with pytest.raises(Truncated, match="It rained before the answer was complete") as caught:
        decoder.flush("It rained")
    assert caught.value.user_message == "The answer was cut off. Try again."


def test_what_happens_after_the_provider_finished_does_not_undo_it() -> None:
    decoder = Parrot()
    hear(decoder, "a?")
    assert decoder.finishing
    assert not decoder.ended

    hear(decoder, "b!")

    assert decoder.flush() == [Finish()]


def test_flush_twice_is_flush_once_and_then_nothing_is_heard() -> None:
    decoder = Parrot()
    hear(decoder, "a?")

    assert decoder.flush() == [Finish()]
    assert decoder.flush() == []
    assert hear(decoder, "b") == []


def test_a_suffix_is_what_is_new() -> None:
    suffix = CumulativeTextDiffer()

    assert [suffix.feed(text) for text in ("Hum", "Humming", "", "Humming", "Humming!")] == [
        "Hum",
        "ming",
        "",
        "",
        "!",
    ]


@pytest.mark.parametrize("text", ["Hum", "humming bird", "x"])
def test_a_suffix_never_guesses(text: str) -> None:
    suffix = CumulativeTextDiffer()
    suffix.feed("Humming")

    with pytest.raises(Truncated, match="took back"):
        suffix.feed(text)


@pytest.mark.parametrize("data", ["", "{", "[1]", "3", "null", "[" * 200_000, '{"a":' * 200_000, "1" * 5000])
def test_what_is_not_a_json_object_is_a_truncation(data: str) -> None:
    with pytest.raises(ProviderError, match="not a JSON object"):
        parse(data)


def test_counts_are_found_along_paths_and_nonsense_is_zero() -> None:
    usage = {"a": {"b": 3}, "c": True, "d": -1, "e": "5", "f": 7}

    assert count(usage, "a.b") == 3
    assert count(usage, "x.y", "c", "d", "e", "a", "f.g", "f") == 7
    assert read_usage(usage, {"input_tokens": ("f",), "output_tokens": ("none",)}) == Usage(7)


def test_a_merge_reaches_into_objects_and_none_removes() -> None:
    body = {"a": {"x": 1, "y": 2}, "b": 1, "c": [1]}

    assert merge(body, {"a": {"y": None, "z": 3}, "b": None, "c": [2], "d": {"e": 1}, "f": None}) == {
        "a": {"x": 1, "z": 3},
        "c": [2],
        "d": {"e": 1},
    }
    assert body == {"a": {"x": 1, "y": 2}, "b": 1, "c": [1]}


def test_only_what_was_given_is_given() -> None:
    assert drop_none(a=0, b=None, c=(), d=False, e="") == {"a": 0, "d": False, "e": ""}


def test_arrays_of_anything_are_read_for_their_objects() -> None:
    assert dict_items([{"a": 1}, 2, None, [3], {"b": 2}]) == [{"a": 1}, {"b": 2}]
    assert dict_items({"a": 1}) == []


def test_a_signature_is_given_back_only_to_its_owner() -> None:
    tagged = tag_signature("google", "a:b")

    assert signature_for("google", tagged) == "a:b"
    assert signature_for("anthropic", tagged) is None
    assert signature_for("google", None) is None
    assert signature_for("google", "google:") is None
