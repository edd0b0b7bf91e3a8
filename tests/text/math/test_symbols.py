"""The tables of signs: one sign per command, and no marker of Discord's among them."""

from __future__ import annotations

import unicodedata

import pytest

from streamcord._text.math import symbols as signs

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


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("H2O", "H₂O"),
        ("2H2 + O2 -> 2H2O", "2H₂ + O₂ → 2H₂O"),
        ("N2 + 3H2 <=> 2NH3", "N₂ + 3H₂ ⇌ 2NH₃"),
        ("Zn -> Zn^2+ + 2e-", "Zn → Zn²⁺ + 2e⁻"),
        ("SO4^{2-}", "SO₄²⁻"),
        ("NO3-", "NO₃⁻"),
        ("(NH4)2SO4", "(NH₄)₂SO₄"),
        ("[Fe(CN)6]^3-", "[Fe(CN)₆]³⁻"),
        ("H_{2}O_2", "H₂O₂"),
        ("NaCl(aq)", "NaCl(aq)"),
        ("CuSO4*5H2O", "CuSO₄·5H₂O"),
        ("1/2O2", "1/2 O₂"),
    ],
)
def test_what_means_one_thing_is_said(source: str, said: str) -> None:
    assert signs.chemistry_to_unicode(source) == said


@pytest.mark.parametrize(
    "source",
    [
        "", "+", "-> A", "A ->", "Ca2+", "Fe0.9O", "A ->[x] B", "CaCO3 v", "CH3-CH3", "^{14}C", "4", "_2H",
        "(H", "x", "CuSO4*", "Fe^{II}", "H" * (signs.MAX_REACTION_CHARS + 1),
    ],
)  # fmt: skip
def test_what_may_mean_something_else_is_not(source: str) -> None:
    assert signs.chemistry_to_unicode(source) is None
