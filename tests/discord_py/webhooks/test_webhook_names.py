from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from delivery.stage import on_stage
from streamcord import NoVoice
from streamcord._discord.webhooks.webhook_names import (
    FRESH,
    ORDINARY,
    Namesakes,
    is_confusable,
    make_safe,
    mark,
    skeleton,
)
from streamcord._twin.rest.validation import read_webhook_name
from streamcord.twin import Permission, Switches
from virtual import now, timeless

# --- Webhook names ---

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


# --- Namesakes ---


@timeless
async def test_who_has_power_is_guarded_and_nobody_else() -> None:
    async with on_stage(members=True) as stage:
        twin = stage.twin
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_MESSAGES)
        fans = twin.state.add_role(twin.guild, "fans")
        for name, roles in {"Mona": [role], "Finn": [fans]}.items():
            twin.state.add_member(twin.guild, twin.state.add_user(name), roles)
        await stage.hear("ping")
        guild = stage.find().guild
        namesakes = Namesakes("mark", now)

        assert namesakes.settle("m0na", guild) == "m0na (persona)"
        assert namesakes.settle("ALICE", guild) == "ALICE (persona)"  # the owner
        assert namesakes.settle("Finn", guild) == "Finn"
        assert namesakes.settle("streamcord", guild) == "streamcord"  # the bot itself
        with pytest.raises(NoVoice):
            Namesakes("refuse", now).settle("Mona", guild)


@timeless
async def test_new_members_are_seen_after_a_while() -> None:
    async with on_stage(members=True) as stage:
        time = 0.0
        twin, namesakes, guild = stage.twin, Namesakes("mark", lambda: time), stage.find().guild
        namesakes.settle("Mona", guild)
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_GUILD)
        twin.state.add_member(twin.guild, twin.state.add_user("Mona"), [role])
        await stage.hear("ping")
        assert namesakes.settle("Mona", guild) == "Mona"
        time += FRESH
        assert namesakes.settle("Mona", guild) == "Mona (persona)"


@timeless
async def test_without_the_members_intent_nobody_is_known() -> None:
    async with on_stage() as stage:
        assert Namesakes("refuse", now).settle("Alice", stage.find().guild) == "Alice"
