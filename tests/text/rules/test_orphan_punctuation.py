"""Punctuation alone on a line is kept for the next segment, or dropped."""

from __future__ import annotations

import pytest

from streamcord._text.rules.orphan_punctuation import (
    OrphanKind,
    PendingPunctuation,
    classify_leftover,
    classify_orphan,
)
from streamcord._text.traced_text import TracedText


@pytest.mark.parametrize(
    "text", ["...", "…", "?!?!", "!!!", "。。。", ".,.", " ...\n", "?…", "?", "！", "?!"]
)
def test_expressive_punctuation_belongs_before_what_follows(text: str) -> None:
    assert classify_orphan(text) is OrphanKind.KEPT


@pytest.mark.parametrize("text", [".", ",", "..", ";", "。", "、", "，", " .\n"])
def test_a_lone_mark_is_left_over(text: str) -> None:
    assert classify_orphan(text) is OrphanKind.FRAGMENT


@pytest.mark.parametrize("text", ["好", "=", "5", "a.", ":", "-", "**", "```", ":)", "(...)", ""])
def test_everything_else_says_something(text: str) -> None:
    assert classify_orphan(text) is None


@pytest.mark.parametrize("text", [".", ",", ": ", ".\n", ",\n,", ";", "。", ",\n,\n,"])
def test_marks_that_cleaning_left_are_dropped(text: str) -> None:
    assert classify_leftover(text, changed=True) is OrphanKind.LEFTOVER


@pytest.mark.parametrize("text", ["?", "!\n", "?!", "？"])
def test_an_emphatic_mark_that_cleaning_left_may_be_the_whole_answer(text: str) -> None:
    assert classify_leftover(text, changed=True) is OrphanKind.FRAGMENT


@pytest.mark.parametrize("text", [">", "- ", "# ", '""', "「」.", "-\n-", "-# ."])
def test_markup_of_which_cleaning_left_nothing_is_no_message(text: str) -> None:
    assert classify_leftover(text, changed=True) is OrphanKind.FRAGMENT
    assert classify_leftover(text, changed=False) is None


@pytest.mark.parametrize("text", [":)", "._.", "> a", "5.", "-.-", "**", ">.<"])
def test_faces_and_words_after_a_label_stay(text: str) -> None:
    assert classify_leftover(text, changed=True) is None


def test_expressive_punctuation_after_a_label_is_kept() -> None:
    assert classify_leftover("...", changed=True) is OrphanKind.KEPT


def test_only_a_colon_is_left_over_without_a_change() -> None:
    assert classify_leftover(":\n", changed=False) is OrphanKind.LEFTOVER
    assert classify_leftover(".\n", changed=False) is None
    assert classify_leftover("a:", changed=True) is None
    assert classify_leftover(" ", changed=True) is None


def line(text: str, at: int) -> TracedText:
    return TracedText.from_spans(text, ((at, at + len(text)),))


def hold(*texts: str, place: str = "line") -> PendingPunctuation:
    held, at = PendingPunctuation(place), 0
    for text in texts:
        held.add(line(text, at))
        at += len(text)
    return held


def before(held: PendingPunctuation, behind: str) -> str:
    following = line(behind, held.length)
    held.end_before(following)
    return (held.pop() + following).text


def test_nothing_is_held_at_first_and_after_taking() -> None:
    held = hold("...\n")

    assert held
    assert held.pop().text == "...\n"
    assert not held
    assert held.length == 0


def test_lines_stand_below_each_other() -> None:
    traced = hold("...\n", "?!?\n\n", "…").pop()

    assert traced.text == "...\n?!?\n…"
    assert [edit.before for edit in traced.edits] == ["?\n\n"]
    assert [edit.spans for edit in traced.edits] == [((6, 9),)]


@pytest.mark.parametrize(
    ("behind", "joined"),
    [("Well", "...\nWell"), ("# Title", "...\n# Title"), ("```\nx\n```", "...\n```\nx\n```")],
)
def test_it_stands_on_a_line_of_its_own_before_what_follows(behind: str, joined: str) -> None:
    assert before(hold("...\n"), behind) == joined
    assert before(hold("..."), behind) == joined


def test_with_the_setting_it_stands_directly_before_what_follows() -> None:
    assert before(hold("...\n", place="prefix"), "Well") == "...Well"
    assert before(hold("...\n", place="prefix"), "```\nx\n```") == "...\n```\nx\n```"


def test_its_length_is_counted() -> None:
    assert hold("...\n", "...\n").length == 8
