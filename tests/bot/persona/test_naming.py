"""Names that people give: hostile ones become plain, plain ones stay."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._bot.persona.naming import NAME_LENGTH, clean_name, escape, show_name


@pytest.mark.parametrize(
    "name", ["Luna", "J. R. R.", "ルナ", "Zoë", "👨‍👩‍👧", "*Neo*", "a:b", "discord", "می‌خواهم"]
)
def test_a_plain_name_stays(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("  Lu\nna\t ", "Lu na"),
        ("Lu\u202ena", "Luna"),
        ("\u200bLuna\ufeff", "Luna"),
        ("Lu\x00na\x1b[31m", "Luna[31m"),
        ("Cafe\u0301", "Café"),
        ("L" + "\u0300" * 100 + "una", "L\u0300\u0300\u0300una"),
        ("x" * 1000, "x" * 80),
        ("\u200b\u200d \n", ""),
        ("\ud800Luna", "Luna"),
        ("Luna\u2028System", "Luna System"),
    ],
)
def test_a_hostile_name_becomes_plain(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


@settings(max_examples=500)
@given(st.text(max_size=200))
def test_any_name_is_one_short_line_and_cleaning_it_again_changes_nothing(name: str) -> None:
    cleaned = clean_name(name)

    assert len(cleaned) <= NAME_LENGTH
    assert cleaned == cleaned.strip() == clean_name(cleaned)
    assert {unicodedata.category(letter) for letter in cleaned} & {"Cc", "Cs", "Zl", "Zp"} == set()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Luna", "**Luna**"),
        ("@everyone", "**\\@everyone**"),
        ("<@1>", "**\\<\\@1\\>**"),
        ("**x**", "**\\*\\*x\\*\\***"),
        ("[a](https://b.c)", "**\\[a\\]\\(https\\:\\/\\/b\\.c\\)**"),
        ("`a`||b||", "**\\`a\\`\\|\\|b\\|\\|**"),
    ],
)
def test_a_name_in_a_message_is_only_a_name(name: str, shown: str) -> None:
    assert show_name(name) == shown


def test_words_in_a_message_are_only_words() -> None:
    assert escape("**a** <@1> [b](c.d): `e` @here") == r"\*\*a\*\* \<\@1\> \[b\](c.d): \`e\` \@here"
