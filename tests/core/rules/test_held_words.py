"""What is an echo of the prefill; it is shown once, in front, whatever the model repeats of it."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Passage, Utterance
from streamcord._core.rules.held_words import Echo, Held, Match, Opening, Orphan, judge_orphan
from streamcord._events import Align, Boundary, Table


def test_the_whole_echo_may_come_at_once() -> None:
    assert Echo("Sure, ").match("Sure, yes") == (Match.WHOLE, 6)
    assert Echo("Sure, ").match("\n Sure, yes") == (Match.WHOLE, 8)


def test_white_space_at_its_end_may_be_missing() -> None:
    assert Echo("Sure, ").match("Sure,\n") == (Match.WHOLE, 6)


def test_an_echo_may_come_in_parts() -> None:
    echo = Echo("One.\nTwo.\nThree")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Two.\n") == (Match.PART, 5)
    assert echo.match("Three four") == (Match.WHOLE, 5)


def test_parts_may_lead_elsewhere() -> None:
    echo = Echo("One.\nTwo.")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Six.") == (Match.NONE, 0)


def test_only_white_space_may_be_left_of_it() -> None:
    echo = Echo("One. ")
    assert echo.match("On") == (Match.PART, 2)
    assert echo.match("e. ") == (Match.WHOLE, 3)
    spaced = Echo("A. \n")
    assert spaced.match("A. ") == (Match.WHOLE, 3)


def test_another_text_is_none() -> None:
    assert Echo("Sure").match("Well") == (Match.NONE, 0)


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


@pytest.mark.parametrize("text", ["...", "…", "?!?!", "!!!", "。。。", ".,.", " ...\n", "..…", "?…"])
def test_expressive_punctuation_belongs_before_what_follows(text: str) -> None:
    assert judge_orphan(text) is Orphan.HELD


@pytest.mark.parametrize("text", [".", ",", "..", ";", "。", "、", "，", " .\n"])
def test_a_lone_mark_is_left_over(text: str) -> None:
    assert judge_orphan(text) is Orphan.FRAGMENT


@pytest.mark.parametrize(
    "text", ["?", "!", "?!", "！", "好", "=", "5", "a.", ":", "-", "**", "```", ":)", "(...)", ""]
)
def test_everything_else_says_something(text: str) -> None:
    assert judge_orphan(text) is None


def line(text: str, at: int) -> Passage:
    return Passage.from_spans(text, ((at, at + len(text)),))


def hold(*texts: str) -> Held:
    held, at = Held(), 0
    for text in texts:
        held.add(line(text, at))
        at += len(text)
    return held


def test_nothing_is_held_at_first_and_after_taking() -> None:
    held = hold("...\n")

    assert held
    assert held.take().text == "...\n"
    assert not held
    assert held.length == 0


def test_lines_stand_below_each_other() -> None:
    passage = hold("...\n", "?!?\n\n", "…").take()

    assert passage.text == "...\n?!?\n…"
    assert [edit.before for edit in passage.edits] == ["?\n\n"]
    assert [edit.spans for edit in passage.edits] == [((6, 9),)]


@pytest.mark.parametrize(
    ("behind", "joined"),
    [("Well", "...\nWell"), ("# Title", "...\n# Title"), ("```\nx\n```", "...\n```\nx\n```")],
)
def test_it_stands_on_a_line_of_its_own_before_what_follows(behind: str, joined: str) -> None:
    assert hold("...\n").take_before(line(behind, 4)).text == joined
    assert hold("...").take_before(line(behind, 3)).text == joined


def test_its_length_is_counted() -> None:
    assert hold("...\n", "...\n").length == 8
