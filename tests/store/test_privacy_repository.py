"""What people and servers may ask for, in SQLite; `StoreContract` asks it of every store."""

from __future__ import annotations

from streamcord.store import Change, Memory, Place, open_store


async def test_a_server_takes_its_tables_and_cursors_along() -> None:
    async with await open_store(":memory:") as store:
        await store.remember(Memory("Luna", Place(1, 2), "hi", (5,), (), 7))
        await store.save_table(5, "| a |")
        await store.record_change(Change(Place(1, 2), 7, "settings set", "a\x00b"))
        (change,) = await store.changes_by(7)
        await store.forget_place(Place(1))

        assert change.detail == "a\ufffdb"
        assert await store.find_table(5) is None
        assert await store.changes_by(7) == ()
