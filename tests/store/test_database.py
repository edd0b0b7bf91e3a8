"""How names and texts are made fit for any database."""

from __future__ import annotations

import pytest

from streamcord._store.database import fold, places, storable


@pytest.mark.parametrize(
    ("one", "other"),
    [("Luna", " LUNA "), ("Straße", "STRASSE"), ("Café", "Cafe\u0301"), ("a  b", "a\tb"), ("ΣΣ", "σς")],
)
def test_names_that_people_take_for_the_same_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_different_names_stay_different() -> None:
    assert len({fold(name) for name in ("Luna", "Lunа", "Lu na", "Luna.", "ルナ", "るな")}) == 6


def test_text_loses_only_what_no_database_holds() -> None:
    assert storable("a\x00b\ud83dc\udfffd") == "a\ufffdb\ufffdc\ufffdd"
    assert storable("\x01\u200b😀\U0010ffff") == "\x01\u200b😀\U0010ffff"


def test_places_are_counted_from_any_number() -> None:
    assert (places(3), places(2, 4), places(0)) == ("$1, $2, $3", "$4, $5", "")
