"""Punctuation that waits: in one piece, with its origin, however much of it there is."""

from __future__ import annotations

import pytest

from streamcord._core.held import Held
from streamcord._core.passage import Passage


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


def test_lines_stand_right_behind_each_other() -> None:
    passage = hold("...\n", "?!?\n", "…").take()

    assert passage.text == "...?!?…"
    assert "".join(edit.before for edit in passage.edits) == ".\n?\n"
    assert [edit.spans for edit in passage.edits] == [((2, 4),), ((6, 8),)]


@pytest.mark.parametrize(
    ("behind", "joined"),
    [("Well", "...Well"), ("# Title", "...\n# Title"), ("```\nx\n```", "...\n```\nx\n```")],
)
def test_before_prose_it_stands_close_and_before_a_block_on_its_line(behind: str, joined: str) -> None:
    assert hold("...\n").take_before(line(behind, 4)).text == joined
    assert hold("...").take_before(line(behind, 3)).text == joined


def test_its_length_is_counted() -> None:
    assert hold("...\n", "...\n").length == 8
