from __future__ import annotations

from store.conftest import Time
from streamcord._store import SqlStore
from streamcord._store.message_records import LABEL_LIFE, TABLE_LIFE


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
