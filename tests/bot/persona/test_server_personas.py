"""The personas of a server: its own, those of all, those of the file; copied before they are changed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.stage import make_config
from streamcord import Persona, Sprite
from streamcord._bot.persona.server_personas import Wardrobe
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

    assert await Wardrobe(store, CONFIG, GUILD).names() == ["LUNA", "Zoe", "Ren"]


async def test_somebody_of_the_file_is_found_in_any_case(store: Store) -> None:
    found = await Wardrobe(store, CONFIG, GUILD).find(" luna ")

    assert found == StoredPersona(Persona("Luna"), prompt="A cat.")
    assert await Wardrobe(store, CONFIG, GUILD).find("nobody") is None


async def test_a_shared_persona_is_copied_with_all_pictures_and_stays_as_it_was(store: Store) -> None:
    shared = StoredPersona(Persona("Zoe"), 0, "Shared.")
    await store.save_persona(shared)
    await store.save_avatar(0, "Zoe", Picture("", b"face", "image/png"))
    await store.save_sprite(0, "Zoe", Sprite("mad", identity=True), Picture("", b"mad", "image/png"))
    wardrobe = Wardrobe(store, CONFIG, GUILD)
    found = await wardrobe.find("Zoe")
    assert found is not None
    await wardrobe.own(found)
    await store.remove_sprite(GUILD, "Zoe", "mad")

    own, other = await store.find_persona(GUILD, "Zoe"), await store.find_persona(GUILD + 1, "Zoe")
    assert own is not None
    assert other is not None
    assert (own.guild, own.persona.sprites) == (GUILD, ())
    assert other.persona.sprites == (Sprite("mad", identity=True),)
    assert await store.find_picture(GUILD, "Zoe") == Picture("", b"face", "image/png")


async def test_what_is_a_servers_own_is_not_copied_again(store: Store) -> None:
    own = StoredPersona(Persona("Zoe"), GUILD)

    assert await Wardrobe(store, CONFIG, GUILD).own(own) is own
    assert await store.personas(GUILD) == ()


async def test_looks_of_the_file_are_copied_by_their_address(store: Store) -> None:
    wardrobe = Wardrobe(store, CONFIG, GUILD)
    found = await wardrobe.find("Ren")
    assert found is not None
    await wardrobe.own(found)

    own = await store.find_persona(GUILD, "Ren")
    assert own is not None
    assert own.persona.sprites == (Sprite("mad", "https://a.b/mad.png"),)
