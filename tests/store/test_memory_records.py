from __future__ import annotations

import pytest

from streamcord._store import SqlStore
from streamcord._store.memory_records import MEMORY_CAP
from streamcord.store import Memory, Place

HERE = Place(1, 2)


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
