"""Every statement of a cluster, on a real PostgreSQL."""

from __future__ import annotations

import asyncio

import asyncpg  # type: ignore[import-untyped]
import pytest

from cluster.conftest import BOT
from streamcord import StoreError
from streamcord_bot.coordination.cluster.cluster_rows import ClusterRows, LeaseLost, open_rows

SESSION = ("abc", 7, "wss://g")


async def add(rows: ClusterRows, *names: str) -> None:
    await rows.negotiate_shards(BOT, 3, 1)
    for name in names:
        await rows.join(name, BOT, "all")


async def heartbeat(rows: ClusterRows, name: str, *shards: int) -> int:
    told = dict.fromkeys(shards, SESSION)
    await rows.heartbeat(name, BOT, ready=True, leaving=False, turns=2, shards=told)
    view = await rows.view(BOT)
    return next(one.heartbeats for one in view.members if one.name == name)


async def test_heartbeat_returns_all_members_and_sessions(rows: ClusterRows) -> None:
    await add(rows, "a", "b")
    await rows.acquire_shards("a", BOT, [0, 1])
    await heartbeat(rows, "a", 0, 1)

    view = await rows.view(BOT)

    assert [
        (one.name, one.heartbeats, one.ready, one.turns) for one in sorted(view.members, key=lambda m: m.name)
    ] == [
        ("a", 1, True, 2),
        ("b", 0, False, 0),
    ]
    assert [(one.shard, one.owner) for one in view.shards] == [(0, "a"), (1, "a"), (2, "")]
    assert (view.shards[0].session, view.shards[0].sequence, view.shards[0].gateway) == SESSION
    assert await rows.bots() == [BOT]


async def test_evicted_member_owns_nothing_and_gets_lease_lost(rows: ClusterRows) -> None:
    await add(rows, "a", "b")
    await rows.acquire_shards("a", BOT, [0])
    await rows.lease_channel("a", BOT, 5, 0)
    heartbeats = await heartbeat(rows, "a")

    assert not await rows.evict("a", heartbeats - 1), "it gave a sign of life since"
    assert await rows.evict("a", heartbeats)

    with pytest.raises(LeaseLost):
        await heartbeat(rows, "a")
    with pytest.raises(LeaseLost):
        await rows.lease_channel("a", BOT, 5, 0)
    with pytest.raises(LeaseLost):
        await rows.write_journal("a", [("t", 0, "turn", "{}", 1.0)], [])
    assert await rows.acquire_shards("a", BOT, [1]) == []
    assert (await rows.lease_channel("b", BOT, 5, 0))[0] == "b"
    assert [one.shard for one in await rows.acquire_shards("b", BOT, [0])] == [0]


async def test_a_shard_and_a_channel_have_one_holder(rows: ClusterRows) -> None:
    await add(rows, "a", "b")

    taken = await asyncio.gather(*(rows.acquire_shards(name, BOT, [0, 1, 2]) for name in "ab"))
    held = await asyncio.gather(*(rows.lease_channel(name, BOT, 9, 0) for name in "ab"))

    assert sorted(one.shard for some in taken for one in some) == [0, 1, 2]
    assert len({owner for owner, _ in held}) == 1
    assert len({fence for _, fence in held}) == 1


async def test_a_fence_never_comes_twice(rows: ClusterRows) -> None:
    await add(rows, "a", "b")
    fences = []
    for name in "abab":
        fences.append((await rows.lease_channel(name, BOT, 9, 0))[1])
        await rows.release_channels(name, "t", [9])

    assert fences == sorted(set(fences))


async def test_rows_of_a_journal_are_written_and_forgotten_in_one_statement(rows: ClusterRows) -> None:
    await add(rows, "a", "b")
    await rows.write_journal("a", [("t", 0, "turn", "{}", 1.0), ("u", 0, "turn", "{}", 1.0)], [])
    await rows.write_journal("a", [("t", 1, "received", "[]", 2.0)], ["u"])
    await rows.lease_channel("a", BOT, 9, 0)

    assert await rows.entries("b") == ([("t", 0, "turn", "{}", 1.0), ("t", 1, "received", "[]", 2.0)], {9})


async def test_blocks_are_due_one_after_the_other_and_not_far_ahead(rows: ClusterRows) -> None:
    await add(rows)

    waits = [await rows.acquire_block(BOT, 5, 20.0, 0.4) for _ in range(4)]

    assert waits[0] == 0.0
    assert waits[1] is not None
    assert 0.1 < waits[1] <= 0.25
    assert None in waits


async def test_two_shards_of_one_key_identify_one_after_the_other(rows: ClusterRows) -> None:
    waits = [await rows.reserve_identify(BOT, 0, 5.0), await rows.reserve_identify(BOT, 0, 5.0)]

    assert waits[0] < 0.5
    assert 4 < waits[1] <= 5
    assert await rows.reserve_identify(BOT, 1, 5.0) < 0.5


async def test_a_stop_is_seen_by_all(rows: ClusterRows) -> None:
    await add(rows, "a")
    await rows.stop_all(BOT, float("inf"), "401")

    view = await rows.view(BOT)

    assert view.stopped > 80_000
    assert view.reason == "401"


async def test_shard_count_changes_only_without_members(rows: ClusterRows) -> None:
    await add(rows, "a")

    assert await rows.negotiate_shards(BOT, 0, 9) == 3
    with pytest.raises(
        StoreError, match="has 3 shards, but this process is configured for 4: stop all processes"
    ):
        await rows.negotiate_shards(BOT, 4, 1)
    await rows.evict("a")
    assert await rows.negotiate_shards(BOT, 2, 1) == 2
    assert len((await rows.view(BOT)).shards) == 2


async def test_a_cluster_of_a_newer_version_is_refused(rows: ClusterRows) -> None:
    await add(rows)
    await rows.database.read("UPDATE clusters SET version = 99")

    with pytest.raises(StoreError, match="created by a newer streamcord"):
        await rows.negotiate_shards(BOT, 0, 1)


async def test_a_database_that_can_only_be_read_says_so(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await connection.close()

    with pytest.raises(StoreError, match="can only be read: use the server that takes writes"):
        await open_rows(postgres_url, 10.0)


async def test_a_hundred_processes_join_at_once(rows: ClusterRows) -> None:
    await rows.negotiate_shards(BOT, 50, 1)
    names = [f"m{number}" for number in range(100)]

    await asyncio.gather(*(rows.join(name, BOT, "all") for name in names))
    await asyncio.gather(*(rows.acquire_shards(name, BOT, range(50)) for name in names))

    view = await rows.view(BOT)
    assert len(view.members) == 100
    assert all(one.owner for one in view.shards)
