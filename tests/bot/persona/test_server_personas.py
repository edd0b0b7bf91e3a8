from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.stage import make_config
from streamcord import Persona, Sprite
from streamcord._bot.persona.server_personas import NAME_LENGTH, ServerPersonas, clean_name, escape, show_name
from streamcord.store import Picture, Store, StoredPersona, open_store

CONFIG = make_config(
    personas={
        "Luna": {"prompt": "A cat."},
        "Ren": {"sprites": [{"name": "mad", "picture": "https://a.b/mad.png"}]},
    }
)
GUILD = 5


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with await open_store(":memory:") as store:
        yield store


async def test_a_server_sees_its_own_then_all_others_each_name_once(store: Store) -> None:
    await store.save_persona(StoredPersona(Persona("LUNA"), GUILD))
    await store.save_persona(StoredPersona(Persona("Zoe"), 0))
    await store.save_persona(StoredPersona(Persona("Else"), GUILD + 1))

    assert await ServerPersonas(store, CONFIG, GUILD).names() == ["LUNA", "Zoe", "Ren"]


async def test_somebody_of_the_file_is_found_in_any_case(store: Store) -> None:
    found = await ServerPersonas(store, CONFIG, GUILD).find(" luna ")

    assert found == StoredPersona(Persona("Luna"), prompt="A cat.")
    assert await ServerPersonas(store, CONFIG, GUILD).find("nobody") is None


async def test_a_shared_persona_is_copied_with_all_pictures_and_stays_as_it_was(store: Store) -> None:
    shared = StoredPersona(Persona("Zoe"), 0, "Shared.")
    await store.save_persona(shared)
    await store.save_avatar(0, "Zoe", Picture("", b"face", "image/png"))
    await store.save_sprite(0, "Zoe", Sprite("mad", identity=True), Picture("", b"mad", "image/png"))
    personas = ServerPersonas(store, CONFIG, GUILD)
    found = await personas.find("Zoe")
    assert found is not None
    await personas.own(found)
    await store.remove_sprite(GUILD, "Zoe", "mad")

    own, other = await store.find_persona(GUILD, "Zoe"), await store.find_persona(GUILD + 1, "Zoe")
    assert own is not None
    assert other is not None
    assert (own.guild, own.persona.sprites) == (GUILD, ())
    assert other.persona.sprites == (Sprite("mad", identity=True),)
    assert await store.find_picture(GUILD, "Zoe") == Picture("", b"face", "image/png")


async def test_what_is_a_servers_own_is_not_copied_again(store: Store) -> None:
    own = StoredPersona(Persona("Zoe"), GUILD)

    assert await ServerPersonas(store, CONFIG, GUILD).own(own) is own
    assert await store.personas(GUILD) == ()


async def test_looks_of_the_file_are_copied_by_their_address(store: Store) -> None:
    personas = ServerPersonas(store, CONFIG, GUILD)
    found = await personas.find("Ren")
    assert found is not None
    await personas.own(found)

    own = await store.find_persona(GUILD, "Ren")
    assert own is not None
    assert own.persona.sprites == (Sprite("mad", "https://a.b/mad.png"),)


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
