"""The prefill is shown once, in front, whatever the model repeats of it."""

from __future__ import annotations

import pytest

from streamcord._core.opening import Opening
from streamcord._core.passage import Passage, Utterance
from streamcord._events import Align, Boundary, Table

TABLE = Table(((), ()), (), (Align.LEFT, Align.LEFT), "| a | b |")


def say(text: str, table: Table | None = None) -> Utterance:
    return Utterance(Passage.from_spans(text, ((0, len(text)),)), Boundary.NEWLINE, None, table)


def shown(prefill: str, *texts: str) -> list[str]:
    opening = Opening(prefill)
    said = [utterance for text in texts for utterance in opening.feed(say(text))]
    return [utterance.passage.text for utterance in [*said, *opening.flush(), *opening.flush()]]


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
    first, second = Opening("Sure").feed(say("| a | b |", TABLE))
    assert (first.passage.text, first.table, second.table) == ("Sure", None, TABLE)


def test_a_table_ends_an_echo() -> None:
    opening = Opening("A\nB")
    assert opening.feed(say("A\n")) == []
    assert [one.passage.text for one in opening.feed(say("| a | b |", TABLE))] == ["A\nBA\n", "| a | b |"]


def test_an_opening_is_over_once_it_was_shown() -> None:
    assert not Opening("")
    opening = Opening("Well, ")
    assert opening
    opening.feed(Utterance(Passage.from_spans("yes", ((0, 3),)), Boundary.FINAL))
    assert not opening
