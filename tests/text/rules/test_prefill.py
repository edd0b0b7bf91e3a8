"""The prefill is shown once, and removed where the model repeats it."""

from __future__ import annotations

import pytest

from streamcord._events import Align, Boundary, Table
from streamcord._text.rules.prefill import Match, PrefillMatcher, PrefillStripper
from streamcord._text.traced_text import NormalizedSegment, TracedText


def test_the_whole_echo_may_come_at_once() -> None:
    assert PrefillMatcher("Sure, ").match("Sure, yes") == (Match.WHOLE, 6)
    assert PrefillMatcher("Sure, ").match("\n Sure, yes") == (Match.WHOLE, 8)


def test_white_space_at_its_end_may_be_missing() -> None:
    assert PrefillMatcher("Sure, ").match("Sure,\n") == (Match.WHOLE, 6)


def test_an_echo_may_come_in_parts() -> None:
    echo = PrefillMatcher("One.\nTwo.\nThree")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Two.\n") == (Match.PART, 5)
    assert echo.match("Three four") == (Match.WHOLE, 5)


def test_parts_may_lead_elsewhere() -> None:
    echo = PrefillMatcher("One.\nTwo.")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Six.") == (Match.NONE, 0)


def test_only_white_space_may_be_left_of_it() -> None:
    echo = PrefillMatcher("One. ")
    assert echo.match("On") == (Match.PART, 2)
    assert echo.match("e. ") == (Match.WHOLE, 3)
    spaced = PrefillMatcher("A. \n")
    assert spaced.match("A. ") == (Match.WHOLE, 3)


def test_another_text_is_none() -> None:
    assert PrefillMatcher("Sure").match("Well") == (Match.NONE, 0)


TABLE = Table(((), ()), (), (Align.LEFT, Align.LEFT), "| a | b |")


def say(text: str, table: Table | None = None) -> NormalizedSegment:
    return NormalizedSegment(TracedText.from_spans(text, ((0, len(text)),)), Boundary.NEWLINE, None, table)


def shown(prefill: str, *texts: str) -> list[str]:
    opening = PrefillStripper(prefill)
    said = [utterance for text in texts for utterance in opening.feed(say(text))]
    return [utterance.traced.text for utterance in [*said, *opening.flush(), *opening.flush()]]


@pytest.mark.parametrize(
    ("prefill", "texts", "expected"),
    [
        ("", ["a"], ["a"]),
        ("  ", ["a"], ["a"]),
        ("Sure, ", ["Sure, yes", "Sure, no"], ["Sure, yes", "Sure, no"]),
        ("Sure, ", ["yes"], ["Sure, yes"]),
        ("A\nB\nC", ["A\n", "B\n", "Cat"], ["A\nB\nCat"]),
        ("A\nB\nC", ["A\n", "X"], ["A\nB\nCA\n", "X"]),
        ("A\nB\nC", ["A\n", "B\n"], ["A\nB\nC"]),
        ("Sure", [], []),
    ],
)
def test_it_is_shown_once(prefill: str, texts: list[str], expected: list[str]) -> None:
    assert shown(prefill, *texts) == expected


def test_a_table_stands_behind_it() -> None:
    first, second = PrefillStripper("Sure").feed(say("| a | b |", TABLE))
    assert (first.traced.text, first.figure, second.figure) == ("Sure", None, TABLE)


def test_a_table_ends_an_echo() -> None:
    opening = PrefillStripper("A\nB")
    assert opening.feed(say("A\n")) == []
    assert [one.traced.text for one in opening.feed(say("| a | b |", TABLE))] == ["A\nBA\n", "| a | b |"]


def test_an_opening_is_over_once_it_was_shown() -> None:
    assert not PrefillStripper("")
    opening = PrefillStripper("Well, ")
    assert opening
    opening.feed(NormalizedSegment(TracedText.from_spans("yes", ((0, 3),)), Boundary.FINAL))
    assert not opening
