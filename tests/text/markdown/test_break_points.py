"""Places to cut where no ordinary boundary is: near a target, behind a clause, never inside what is whole."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.break_points import (
    AtomicRange,
    adjust_unspaced_cut,
    complete_until,
    find_overflow,
    is_wide,
    sentence_cuts,
)

TARGET, BACK, FORWARD = 100, 30, 20


def test_a_position_inside_of_a_range_is_not_free() -> None:
    whole = AtomicRange([(10, 20), (30, 40)])
    assert [whole.free(at) for at in (9, 10, 11, 19, 20, 25, 30, 31, 40)] == [
        True, True, False, False, True, True, True, False, True,
    ]  # fmt: skip
    assert whole.around(15) == (10, 20)
    assert whole.around(25) is None


def test_ranges_that_overlap_are_one_and_those_that_touch_are_two() -> None:
    whole = AtomicRange([(15, 30), (10, 20), (12, 14), (30, 40)])
    assert whole.around(13) == (10, 30)
    assert whole.around(18) == (10, 30)
    assert whole.free(30)


def test_nothing_is_whole_without_ranges() -> None:
    assert AtomicRange([]).free(0)


@pytest.mark.parametrize(
    ("marked", "start", "end"),
    [
        ("One. ¦Two! ¦Three", 0, 99),
        ("One. Two! ¦Three", 4, 99),
        ("One. ¦Two! Three", 0, 4),
        ("Dr. Who asks. ¦Yes", 0, 99),
        ("Really?! Yes", 7, 99),
        ("no end", 0, 99),
    ],
)
def test_sentences_end_inside_of_a_range(marked: str, start: int, end: int) -> None:
    text = marked.replace("¦", "")
    assert sentence_cuts(text, start, end) == [
        len("".join(marked.split("¦")[: count + 1])) for count in range(marked.count("¦"))
    ]


def test_the_last_sentence_ends_with_the_text() -> None:
    assert sentence_cuts("Yes.", 0, 4, final=True) == [4]
    assert sentence_cuts("Yes.", 0, 4) == []


def line(pieces: dict[int, str], length: int = 200) -> str:
    """A line of letters with some pieces at some places."""
    text = "x" * length
    for at, piece in pieces.items():
        text = text[:at] + piece + text[at + len(piece) :]
    return text


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ({80: ". A", 110: ". B", 95: " ", 105: " "}, 112),
        ({80: ". A", 110: "\n", 112: " "}, 111),
        ({103: ". A", 110: ". B"}, 105),
        ({75: ". A", 85: ". B", 95: " "}, 87),
        ({75: ". A", 85: "\n", 95: " "}, 86),
        ({50: ". A", 75: " ", 90: " ", 103: " "}, 91),
        ({60: " ", 103: " ", 110: " "}, 104),
        ({60: " ", 130: " "}, 100),
        ({89: " ", 99: " ", 109: " "}, 100),
        ({69: "\n"}, 70),
        ({69: " "}, 100),
        ({}, 100),
    ],
)
def test_the_best_place_of_the_window_is_taken(pieces: dict[int, str], expected: int) -> None:
    assert find_overflow(line(pieces), 0, TARGET, BACK, FORWARD, AtomicRange(())) == expected
    moved = "y. Z" * 10 + line(pieces)
    assert find_overflow(moved, 40, TARGET, BACK, FORWARD, AtomicRange(())) == expected + 40


@pytest.mark.parametrize("pieces", [{80: ". A", 119: ". B"}, {90: " ", 119: " "}, {118: "e\u0301"}, {}])
def test_nothing_behind_the_window_changes_the_choice(pieces: dict[int, str]) -> None:
    text = line(pieces)
    seen = {
        find_overflow(text[:end], 0, TARGET, BACK, FORWARD, AtomicRange(()))
        for end in range(TARGET + FORWARD, 200)
    }
    assert len(seen) == 1


def test_a_place_inside_of_a_span_is_none() -> None:
    text = line({80: " ", 104: ". B", 110: "\n", 112: " "})
    assert find_overflow(text, 0, TARGET, BACK, FORWARD, AtomicRange([(90, 115)])) == 81


@pytest.mark.parametrize(("span", "expected"), [((40, 150), 40), ((0, 150), 150)])
def test_what_must_stay_whole_is_cut_before_or_else_behind(span: tuple[int, int], expected: int) -> None:
    assert find_overflow(line({}), 0, TARGET, BACK, FORWARD, AtomicRange([span])) == expected


def test_a_grapheme_is_not_cut_if_it_can_be_helped() -> None:
    family = "👨\u200d👩\u200d👧"
    assert find_overflow(line({98: family}), 0, TARGET, BACK, FORWARD, AtomicRange(())) == 98
    assert find_overflow("e" + "\u0301" * 199, 0, TARGET, BACK, FORWARD, AtomicRange(())) == TARGET


# A bar is the end of the last complete clause.
CLAUSES = [
    "Sure! ¦Let me look that up for",
    "Sure!\n¦Let me",
    "One.\nTwo\n¦three",
    "One. Two.¦",
    "One. Two.  ¦",
    "no end at all¦",
    "it costs 3.50 and¦",
    "ask Dr. Who¦",
    "",
]


@pytest.mark.parametrize("marked", CLAUSES)
def test_the_last_complete_clause_ends_at_its_bar(marked: str) -> None:
    text = marked.replace("¦", "")
    assert complete_until(text, 0, []) == (marked.index("¦") if marked else 0)


def test_a_clause_does_not_end_inside_of_what_must_stay_whole() -> None:
    text = 'Yes. "No. Or\nmaybe'
    assert complete_until(text, 0, [(5, 99)]) == 5
    assert complete_until(text, 0, [(0, 99)]) == len(text)


def test_a_clause_begins_where_it_begins() -> None:
    assert complete_until("One. Two\nthree", 9, []) == 14
    assert complete_until("One.\nTwo. three", 5, []) == 10


def test_a_block_is_complete() -> None:
    text = "Look:\n```\nx\n```\nand then"
    block = text.index("\nand")
    assert complete_until(text, 0, [(6, block)], [block]) == block + 1
    assert complete_until(text[:block], 0, [(6, block)], [block]) == block
    assert complete_until(text, block + 1, [], [block]) == len(text)


def test_what_began_before_the_text_that_is_left_is_whole_all_the_same() -> None:
    whole = AtomicRange([(-9, 4), (2, 6), (8, 9)])

    assert (whole.around(2), whole.around(7)) == ((-9, 6), None)


@pytest.mark.parametrize(
    ("text", "cut", "place"),
    [
        ("今日は東京都", 5, 3),  # behind Hiragana a word begins
        ("行くよね！？", 5, 3),  # no mark leads a line,
        ("コーヒーショップ", 5, 4),  # nor small kana
        ("我喜欢GPT-4", 6, 3),
        ("他说：“好”", 4, 3),
        ("เรียนรู้เก", 9, 8),  # a vowel of Thai that stands before its letter
        ("word word", 7, 7),
        ("あ い", 2, 2),
    ],
)
def test_a_line_ends_where_no_mark_and_no_word_is_torn(text: str, cut: int, place: int) -> None:
    assert adjust_unspaced_cut(text, cut, 0, lambda _: True) == place


def test_a_line_ends_nowhere_inside_of_what_is_whole_or_before_the_start() -> None:
    assert adjust_unspaced_cut("今日は、東京", 3, 0, lambda at: at != 2) == 1
    assert adjust_unspaced_cut("今日は、東京", 3, 2, lambda _: True) == 3
    assert adjust_unspaced_cut("今日は、東京", 3, 0, lambda _: False) == 3
    assert is_wide("の")
    assert is_wide("ก")
    assert is_wide("က")
    assert not is_wide("é")
