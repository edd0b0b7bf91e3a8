"""Words, wide letters and emoji as what is drawn at once."""

from __future__ import annotations

from streamcord._events import Style, Words
from streamcord._render.fonts import LATIN, find_faces
from streamcord._render.text_runs import find_unknown, read_atoms


def texts(text: str) -> list[str]:
    return [atom.text for atom in read_atoms((Words(text),), find_faces())]


def test_words_and_spaces_are_apart() -> None:
    assert texts("two words") == ["two", " ", "words"]


def test_wide_letters_may_be_parted_but_a_closing_mark_stays() -> None:
    assert texts("日本。") == ["日", "本。"]


def test_an_emoji_is_one_atom_with_the_name_of_its_picture() -> None:
    (atom,) = read_atoms((Words("👨‍👩‍👧‍👦", Style.BOLD),), find_faces())

    assert atom.emoji
    assert atom.style is Style.BOLD


def test_a_letter_without_a_face_is_found() -> None:
    assert find_unknown(read_atoms((Words("a日"),), LATIN), LATIN) == "日"
    assert find_unknown(read_atoms((Words("abc"),), LATIN), LATIN) is None
