"""Words, wide letters and emoji as what is drawn at once, in the order in which it is seen."""

from __future__ import annotations

import pytest

from render.pangrams import PANGRAMS
from streamcord._events import Style, Words
from streamcord._render.fonts import LATIN, find_faces
from streamcord._render.text_runs import Atom, find_unknown, is_right_to_left, order_as_seen, read_atoms

PLAIN = Style(0)


def read(text: str, style: Style = PLAIN) -> list[Atom]:
    return read_atoms((Words(text, style),), find_faces())


def texts(text: str) -> list[str]:
    return [atom.text for atom in read(text)]


def test_words_and_spaces_are_apart() -> None:
    assert texts("two words") == ["two", " ", "words"]


def test_wide_letters_may_be_parted_but_a_closing_mark_stays() -> None:
    assert texts("日本。") == ["日", "本。"]


def test_an_emoji_is_one_atom_with_the_name_of_its_picture() -> None:
    (atom,) = read("👨‍👩‍👧‍👦", Style.BOLD)

    assert atom.emoji
    assert atom.style is Style.BOLD


@pytest.mark.parametrize(
    ("sign", "picture"), [("✅", True), ("❌", True), ("☀️", True), ("☀", False), ("©", False)]
)
def test_a_sign_is_a_picture_if_unicode_says_so(sign: str, picture: bool) -> None:
    (atom,) = read(sign)

    assert bool(atom.emoji) is picture


def test_a_word_is_parted_where_its_font_changes_and_marks_stay_with_their_letters() -> None:
    assert texts("x∈y") == ["x", "∈", "y"]
    assert texts("cafe\u0301") == ["cafe\u0301"]
    assert texts("\u0301x") == ["\u0301x"]


def test_code_has_letters_of_one_width() -> None:
    (code,), (words,) = read("iii", Style.CODE), read("iii")

    assert code.family != words.family
    assert code.family


def test_joiners_stay_where_letters_are_joined_and_go_elsewhere() -> None:
    assert texts("می\u200cخواهم") == ["می\u200cخواهم"]
    assert texts("a\u200cb\u200bc") == ["abc"]


def test_letters_without_a_font_are_found() -> None:
    assert find_unknown(read_atoms((Words("a日\nb"),), LATIN)) == "日"
    assert find_unknown(read("abc")) == ""


@pytest.mark.parametrize("language", PANGRAMS)
def test_no_letter_of_forty_languages_is_missing(language: str) -> None:
    assert find_unknown(read(PANGRAMS[language])) == ""


@pytest.mark.parametrize(
    ("read_order", "seen"),
    [
        (["a", " ", "b"], ["a", " ", "b"]),
        (["א", " ", "ב"], ["ב", " ", "א"]),
        (["א", " ", "a", " ", "b", " ", "ב"], ["ב", " ", "a", " ", "b", " ", "א"]),
        (["א", ", ", "Python", " ", "3.12"], ["Python", " ", "3.12", ", ", "א"]),
        (["א", " ", "5"], ["5", " ", "א"]),
        (["a", " ", "א", " ", "ב", " ", "b"], ["a", " ", "ב", " ", "א", " ", "b"]),
        (["ا", "!"], ["!", "ا"]),
    ],
)
def test_words_stand_as_they_are_seen(read_order: list[str], seen: list[str]) -> None:
    assert order_as_seen(read_order, read_order) == seen


@pytest.mark.parametrize(
    ("line", "to_the_left"), [("שלום abc", True), ("abc שלום", False), ("1 !", False), ("", False)]
)
def test_the_first_letter_says_where_a_line_runs(line: str, to_the_left: bool) -> None:
    assert is_right_to_left(line.split()) is to_the_left
