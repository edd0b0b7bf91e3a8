from __future__ import annotations

import pytest

from streamcord import Persona, Sprite, StoreError
from streamcord._store.sql_store import SqlStore
from streamcord.store import Memory, Picture, Place, StoredPersona


async def test_a_new_name_takes_looks_choices_and_memories_along(store: SqlStore) -> None:
    here = Place(1, 2)
    await store.save_persona(StoredPersona(Persona("Luna"), 1))
    await store.save_sprite(1, "Luna", Sprite("mad"), Picture(content=b"x", kind="image/png"))
    await store.choose_persona(here, "Luna")
    await store.remember(Memory("Luna", here, "hello", (5,)))

    await store.save_persona(StoredPersona(Persona("Sol"), 1), was="Luna")

    assert await store.find_persona(1, "Luna") is None
    assert await store.find_picture(1, "Sol", "mad") == Picture("", b"x", "image/png")
    assert await store.find_choice(here) == "Sol"
    assert [memory.text for memory in await store.recall("Sol", here)] == ["hello"]


async def test_the_servers_own_persona_hides_the_common_one_of_its_name(store: SqlStore) -> None:
    await store.save_persona(StoredPersona(Persona("Luna"), 0, "common"))
    await store.save_persona(StoredPersona(Persona("LUNA"), 1, "own"))

    assert [(one.name, one.guild) for one in await store.personas(1)] == [("LUNA", 1)]
    assert [(one.name, one.guild) for one in await store.personas(2)] == [("Luna", 0)]


async def test_bytes_stay_as_long_as_their_address_does(store: SqlStore) -> None:
    old, new = "https://example.com/old.png", "https://example.com/new.png"
    await store.save_persona(StoredPersona(Persona("Luna"), 1))
    await store.save_avatar(1, "Luna", Picture(old, b"x", "image/png"))

    await store.save_persona(StoredPersona(Persona("Luna", avatar=old), 1))
    assert await store.find_picture(1, "Luna") == Picture(old, b"x", "image/png")

    await store.save_persona(StoredPersona(Persona("Luna", avatar=new), 1))
    assert await store.find_picture(1, "Luna") == Picture(new)


async def test_a_picture_of_nobody_is_refused(store: SqlStore) -> None:
    with pytest.raises(StoreError, match="Nobody"):
        await store.save_avatar(1, "Nobody", Picture("https://example.com/x.png"))
