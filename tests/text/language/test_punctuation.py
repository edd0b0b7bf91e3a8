"""The table of marks: what belongs to what, and that patterns made of it match it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streamcord._text.language import punctuation as sentence_marks
from streamcord._text.language.punctuation import (
    CARRIED,
    CLOSERS,
    COMMAS,
    ELLIPSES,
    EMPHATIC,
    ENDS,
    LONE,
    PLAIN_ENDS,
    SEMICOLONS,
    SPACED_ENDS,
    STOPS,
    UNAMBIGUOUS_CLOSERS,
    class_of,
    opens_line,
    plain_word_before,
    skip_footnotes,
    word_before,
    word_start,
)

CORE = Path(sentence_marks.__file__).parent.parent


def test_the_sets_nest_as_their_names_say() -> None:
    assert ELLIPSES < STOPS < ENDS
    assert ENDS == STOPS | EMPHATIC
    assert not STOPS & EMPHATIC
    assert SPACED_ENDS < ENDS
    assert PLAIN_ENDS < CARRIED < LONE
    assert UNAMBIGUOUS_CLOSERS < CLOSERS
    assert not COMMAS & SEMICOLONS


@pytest.mark.parametrize("marks", [ENDS, CLOSERS, LONE, COMMAS])
def test_a_class_matches_its_marks_and_nothing_else(marks: frozenset[str]) -> None:
    pattern = re.compile(f"[{class_of(marks)}]")
    matched = {char for char in map(chr, range(0x10000)) if pattern.match(char)}
    assert matched == marks


def test_several_sets_make_one_class() -> None:
    assert re.fullmatch(f"[{class_of(COMMAS, SEMICOLONS)}]+", ",;、；")


def test_no_other_file_of_the_core_lists_the_marks_again() -> None:
    again = [
        path.name
        for path in CORE.rglob("*.py")
        if path.name != "punctuation.py" and re.search("。！？|，。|。、", path.read_text("utf-8"))
    ]
    assert again == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("[1][2] x", 6),
        ("¹ x", 1),
        ("[3](https://x.y) x", 16),
        ("[x] y", 0),
        ("[1](a b)", 0),
        ("[1](a", 5),
        ("[", 1),
    ],
)
def test_notes_behind_a_mark_are_skipped_and_half_ones_waited_for(text: str, end: int) -> None:
    assert skip_footnotes(text, 0) == end


def test_a_line_is_opened_by_what_stands_behind_its_markers() -> None:
    assert opens_line("> - x", 4, 0)
    assert opens_line("a\n  x", 4, 0)
    assert not opens_line("a x", 2, 0)
    assert not opens_line(" " * 40 + "x", 40, 0)


def test_a_word_is_looked_for_backwards() -> None:
    text = "Prof. Dr.  Who"
    assert word_start(text, 9, 0) == 6
    assert word_start(text, 9, 7) == 7
    assert word_start("क़ि", 3, 0) == 0
    assert word_before(text, 11, 0) == "Dr."
    assert plain_word_before(text, 11, 0) == ""
    assert plain_word_before("am  3", 4, 0) == "am"
