"""Settings, messages, memory and personas in a database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord import Persona, Sprite, StoreError
from streamcord._store import SqlStore
from streamcord._store.records import LABEL_LIFE, MEMORY_CAP, TABLE_LIFE
from streamcord.store import Memory, Picture, Place, StoredPersona, open_store

HERE = Place(1, 2)


class Time:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
async def store(time: Time) -> AsyncIterator[SqlStore]:
    async with await open_store(":memory:", clock=time) as opened:
        yield opened


async def test_a_setting_is_of_its_place_and_can_be_unset(store: SqlStore) -> None:
    await store.change_settings(HERE, {"degree": 3, "prefill": "Hm."})
    await store.change_settings(HERE, {"prefill": None})

    assert await store.settings(HERE) == {"degree": 3}
    assert await store.settings(HERE.server) == {}


async def test_labels_are_found_however_many_are_asked_for(store: SqlStore) -> None:
    labels = {number: f"Luna ({number}): " for number in range(1, 1202)}
    await store.label_messages(labels)

    assert await store.labels([*labels, 9999]) == labels


async def test_old_labels_go_when_new_ones_come(store: SqlStore, time: Time) -> None:
    await store.label_messages({1: "old"})
    time.now += LABEL_LIFE
    await store.label_messages({2: "new"})

    assert await store.labels([1, 2]) == {2: "new"}


async def test_a_table_is_kept_to_the_last_second(store: SqlStore, time: Time) -> None:
    await store.keep_table(1, "| a |")
    time.now += TABLE_LIFE - 1
    assert await store.find_table(1) == "| a |"
    time.now += 1
    assert await store.find_table(1) is None


async def test_of_many_answers_the_last_ones_stay(store: SqlStore) -> None:
    for number in range(1, MEMORY_CAP + 3):
        await store.remember(Memory("Luna", HERE, str(number), (number,)))

    found = [int(memory.text) for memory in await store.recall("Luna", HERE)]
    assert found == [*range(3, MEMORY_CAP + 3)]


async def test_an_answer_without_a_message_was_never_sent(store: SqlStore) -> None:
    with pytest.raises(ValueError, match="was not sent"):
        await store.remember(Memory("Luna", HERE, "x", ()))


async def test_an_answer_goes_with_any_of_its_messages(store: SqlStore) -> None:
    await store.remember(Memory("Luna", HERE, "in two parts", (5, 6)))
    await store.forget_messages(iter([6]))

    assert await store.recall("Luna", HERE) == ()


# --- Personas ------------------------------------------------------------------------------------------


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
