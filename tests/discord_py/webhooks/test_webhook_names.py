from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamcord._discord.webhooks.webhook_names import ORDINARY, is_confusable, make_safe, mark, skeleton
from streamcord._twin.rest.validation import read_webhook_name
from streamcord.twin import Switches

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


@given(st.text(max_size=300))
@example("dis\u200bcord")
@example("\u200b" * 700 + "clyde")
@example("ｃｌｙｄｅ")
@example("e" + "\u0301" * 300)
@example("🇩🇪" * 60)
@example("disdiscordcord")
def test_every_name_becomes_one_that_discord_takes(name: str) -> None:
    safe = make_safe(name)

    assert 2 <= len(safe) <= 80
    read_webhook_name(safe, Switches())
    assert make_safe(name) == safe


@pytest.mark.parametrize("name", ["Luna", "Ada (Luna)", "Luna …", "月の猫", "O'Neill #1", "@home: yes"])
def test_a_name_that_discord_takes_stays_as_it_is(name: str) -> None:
    assert make_safe(name) == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Discord Fan", "D\u200aiscord Fan"),
        ("CLYDE", "C\u200aLYDE"),
        ("everyone", "e\u200averyone"),
        ("everyone else", "everyone else"),
        ("`rm`", "'rm'"),
        ("\u202eanuL", "anuL"),
        ("Lu\nna", "Lu na"),
        ("x", "x ·"),
        ("", ORDINARY),
        (" \u200b\ufeff ", ORDINARY),
        ("x" * 200, "x" * 79 + "…"),
    ],
)
def test_what_becomes_of(name: str, safe: str) -> None:
    assert make_safe(name) == safe


def test_nothing_that_is_drawn_as_one_is_cut() -> None:
    assert make_safe(FAMILY * 20) == FAMILY * 11 + "…"
    assert make_safe("🇩🇪" * 50) == "🇩🇪" * 39 + "…"
    assert make_safe("a" * 78 + "e\u0301zz") == "a" * 78 + "…"
    assert unicodedata.normalize("NFC", make_safe("x" * 77 + "e\u0301zz")) == "x" * 77 + "é…"


def test_a_single_character_longer_than_a_name_is_cut_all_the_same() -> None:
    assert make_safe("e" + "\u0301" * 200) == "e" + "\u0301" * 78 + "…"


def test_another_fallback_is_made_safe_too() -> None:
    assert make_safe("\u200b", "discord") == "d\u200aiscord"


def test_a_mark_fits_behind_every_name() -> None:
    assert mark("Luna", "persona") == "Luna (persona)"
    assert len(mark("x" * 80, "persona")) == 80


@pytest.mark.parametrize(
    "other", ["ADMIN", "Аdmіn", "adm1n", "a d m i n", "Ａｄｍｉｎ", "ádmin", "ad\u200bmin", "αdmin"]
)
def test_names_that_look_alike_have_one_skeleton(other: str) -> None:
    assert is_confusable(other, {skeleton("Admin")})


@pytest.mark.parametrize("other", ["Admiral", "Luna", "", "🦊", "..."])
def test_other_names_have_another(other: str) -> None:
    assert not is_confusable(other, {skeleton("Admin"), ""})
