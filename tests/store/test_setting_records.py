from __future__ import annotations

from streamcord._store import SqlStore
from streamcord.store import Place

HERE = Place(1, 2)


async def test_a_setting_is_of_its_place_and_can_be_unset(store: SqlStore) -> None:
    await store.change_settings(HERE, {"degree": 3, "prefill": "Hm."})
    await store.change_settings(HERE, {"prefill": None})

    assert await store.settings(HERE) == {"degree": 3}
    assert await store.settings(HERE.server) == {}
