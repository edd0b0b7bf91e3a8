"""Which word comes next: known as soon as no letter can change it."""

from __future__ import annotations

import pytest

from streamcord._core.markup.next_word import Words

WORDS = Words("Mai Maiden Juni")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", None),
        ("M", None),
        ("Mai", None),
        ("Mai ", True),
        ("Maid", None),
        ("Maids", False),
        ("Maiden.", True),
        ("x", False),
        ("mai ", False),
        (" Mai", False),
        ("Maidens and more", False),
    ],
)
def test_a_word_is_known_at_the_first_letter_that_leaves_no_doubt(text: str, found: bool | None) -> None:
    assert WORDS.start("im " + text, 3, final=False) is found


def test_the_end_of_the_text_ends_the_word() -> None:
    assert WORDS.start("Mai", 0, final=True) is True
    assert WORDS.start("Ma", 0, final=True) is False
    assert WORDS.start("", 0, final=True) is False


def test_a_word_is_looked_up_as_it_is_written() -> None:
    assert "Mai" in WORDS
    assert "mai" not in WORDS
