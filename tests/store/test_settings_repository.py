from __future__ import annotations

import pytest

from store.conftest import Time
from streamcord._store.memory_repository import MAX_MEMORIES
from streamcord._store.message_repository import LABEL_LIFETIME_S, TABLE_SOURCE_LIFETIME_S
from streamcord._store.sql_store import SqlStore
from streamcord.store import Memory, Place

HERE = Place(1, 2)


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
    time.now += LABEL_LIFETIME_S
    await store.label_messages({2: "new"})

    assert await store.labels([1, 2]) == {2: "new"}


async def test_a_table_is_kept_to_the_last_second(store: SqlStore, time: Time) -> None:
    await store.save_table(1, "| a |")
    time.now += TABLE_SOURCE_LIFETIME_S - 1
    assert await store.find_table(1) == "| a |"
    time.now += 1
    assert await store.find_table(1) is None


async def test_of_many_answers_the_last_ones_stay(store: SqlStore) -> None:
    for number in range(1, MAX_MEMORIES + 3):
        await store.remember(Memory("Luna", HERE, str(number), (number,)))

    found = [int(memory.text) for memory in await store.recall("Luna", HERE)]
    assert found == [*range(3, MAX_MEMORIES + 3)]


async def test_an_answer_without_a_message_was_never_sent(store: SqlStore) -> None:
    with pytest.raises(ValueError, match="was not sent"):
        await store.remember(Memory("Luna", HERE, "x", ()))


async def test_an_answer_goes_with_any_of_its_messages(store: SqlStore) -> None:
    await store.remember(Memory("Luna", HERE, "in two parts", (5, 6)))
    await store.forget_messages(iter([6]))

    assert await store.recall("Luna", HERE) == ()
