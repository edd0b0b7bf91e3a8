"""The tables of signs: one sign per command, and no marker of Discord's among them."""

from __future__ import annotations

import unicodedata

from streamcord._core.formulas import formula_signs as signs

TABLES = (signs.LETTERS, signs.SIGNS, signs.RELATIONS, signs.BINARY, signs.BIG)


def test_no_command_is_in_two_tables() -> None:
    names = [name for table in (*TABLES, signs.FUNCTIONS, signs.WORDS, signs.ACCENTS) for name in table]

    assert len(names) == len(set(names))


def test_every_sign_is_one_character_and_no_marker() -> None:
    shown = [sign for table in TABLES for sign in table.values()]

    assert all(len(sign) == 1 for sign in shown)
    assert not set("*_~`@\\") & set(shown)


def test_raised_and_lowered_letters_are_what_unicode_says() -> None:
    for table in (signs.RAISED, signs.LOWERED):
        for plain, shifted in table.items():
            if plain not in "∘′†-":
                assert unicodedata.normalize("NFKC", shifted) == plain.replace("-", "−")
    assert len(set(signs.RAISED.values())) == len(signs.RAISED)


def test_alphabets_are_those_of_unicode() -> None:
    for letters in signs.ALPHABETS.values():
        assert {unicodedata.normalize("NFKC", shown) for shown in letters.values()} == set(letters)
        assert all(unicodedata.normalize("NFKC", shown) == plain for plain, shown in letters.items())


def test_accents_are_combining_marks() -> None:
    assert all(unicodedata.combining(mark) for mark in signs.ACCENTS.values())
