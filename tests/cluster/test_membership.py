"""Members of a cluster on a real PostgreSQL; their clocks are handed in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

import pytest

from cluster.conftest import BOT, Join
from streamcord import StoreError
from streamcord_bot.coordination.cluster.cluster_rows import ClusterRows
from streamcord_bot.coordination.cluster.member_lease import MemberLease, boot_clock
from streamcord_bot.coordination.cluster.membership import Membership
from streamcord_bot.coordination.cluster.shard_plan import LeasedShard


class Clock:
    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Notes:
    """What a member tells who watches it."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def sessions(self) -> Mapping[int, tuple[str, int, str]]:
        return {}

    def on_shards_acquired(self, shards: list[LeasedShard], lost: float) -> None:
        self.told.append(("acquired", [one.shard for one in shards], lost >= 0))

    def on_shards_released(self, shards: set[int]) -> None:
        self.told.append(("released", sorted(shards)))

    def on_evicted(self) -> None:
        self.told.append("evicted")


async def test_two_members_share_the_shards_and_the_one_that_is_left_takes_all(join: Join) -> None:
    one = await join("1")
    await one.tick()
    assert one.owned_shards == {0, 1, 2, 3}
    two = await join("2")
    notes = one.observer = Notes()

    await one.tick()
    await two.tick()

    assert (one.owned_shards, two.owned_shards) == ({0, 1}, {2, 3})
    assert notes.told == [("released", [2, 3])]
    await two.leave()
    await one.tick()
    assert one.owned_shards == {0, 1, 2, 3}
    assert ("acquired", [2, 3], True) in notes.told


async def test_silent_member_is_evicted_after_one_and_a_quarter_leases(join: Join) -> None:
    clock, later = Clock(), Clock(4000.0)
    quiet = await join("1", clock=clock)
    await quiet.tick()
    other = await join("2", clock=later)
    await quiet.tick()
    assert quiet.owned_shards == {0, 1}

    for _ in range(6):
        await other.tick()
        later.now += 2.0
        clock.now += 2.0
    assert quiet.name in other.view.names()
    assert not quiet.is_valid, "it says nothing before anybody takes it for dead"
    later.now += 1.0
    await other.tick()
    await other.tick()

    assert other.owned_shards == {0, 1, 2, 3}


async def test_member_that_continues_after_eviction_is_notified(join: Join) -> None:
    one, two = await join("1"), await join("2")
    await one.tick()
    notes = one.observer = Notes()
    await two.rows.evict(one.name)

    await one.tick()

    assert one.is_evicted
    assert not one.is_valid
    assert notes.told == ["evicted"]


async def test_database_outage_stops_sending_and_evicts_no_member(
    join: Join, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    one, two = await join("1", clock=clock), await join("2", clock=clock)
    await one.tick()

    async def away(*_: object, **__: object) -> None:
        raise StoreError("away")

    with monkeypatch.context() as patched:
        patched.setattr(ClusterRows, "heartbeat", away)
        clock.now += 60.0
        await one.tick()
        await one.tick()
    assert not one.is_valid
    assert caplog.text.count("sending nothing until it is back") == 1
    await one.tick()

    assert one.is_valid
    assert two.name in one.view.names(), "nobody could have seen its beats"


async def test_what_is_written_into_the_table_by_hand_counts(
    join: Join, rows: ClusterRows, caplog: pytest.LogCaptureFixture
) -> None:
    one = await join("1")
    await one.tick()
    await rows.database.read("UPDATE cluster_shards SET owner = 'nobody knows' WHERE shard = 2")

    await one.tick()

    assert "shards [2] were assigned to another member: releasing them" in caplog.text
    await one.tick()
    assert one.owned_shards == {0, 1, 2, 3}, "a name that is no member holds nothing"


async def test_deleted_shard_rows_are_created_again(join: Join, rows: ClusterRows) -> None:
    one = await join("1")
    await rows.database.read("DELETE FROM cluster_shards WHERE shard > 0")

    await one.tick()
    await one.tick()

    assert one.owned_shards == {0, 1, 2, 3}


async def test_members_receive_notifications_at_once(join: Join) -> None:
    one, two = await join("1"), await join("2")
    heard: asyncio.Queue[Mapping[str, object]] = asyncio.Queue()
    two.handlers["hello"] = heard.put_nowait
    two.start()
    await two.listening.wait()

    async with asyncio.timeout(5):
        await one.notify("hello", text="there")
        message = await heard.get()

    assert message["text"] == "there"


async def test_failed_listening_is_logged_once(
    join: Join, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await join("1", lease_seconds=0.05)
    monkeypatch.setattr(one.rows, "url", "postgresql://nobody@127.0.0.1:9/nothing")
    listening = asyncio.create_task(one._listen())
    async with asyncio.timeout(30):
        while "listening to other members failed" not in caplog.text:  # noqa: ASYNC110  (logs tell no one)
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
    listening.cancel()

    assert caplog.text.count("listening to other members failed (") == 1
    assert not one.listening.is_set()


async def test_nonsense_on_the_line_is_ignored(join: Join) -> None:
    one = await join("1")
    for payload in ("", "no json", "[]", "{}", '{"kind": "unknown"}', '{"free": 1}'):
        one.receive(payload)
    one.receive('{"look": 1}')

    assert one._tick_now.is_set()


async def test_dead_process_of_the_same_machine_is_evicted_at_once(
    rows: ClusterRows, join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    dead = Membership(rows, BOT)
    dead.name = dead.name.replace("/", "/9", 1)
    one = await join("1")
    await rows.join(dead.name, BOT, "all")

    await one.tick()
    await one.tick()

    assert dead.name not in one.view.names()
    assert "its shards and answers are being reassigned" in caplog.text


def test_lease_counts_from_when_the_heartbeat_was_sent() -> None:
    now = [100.0]
    lease = MemberLease(10.0, lambda: now[0])
    assert not lease.is_valid

    now[0] = 103.0
    lease.renew(100.0)
    assert (lease.is_valid, lease.heartbeat_interval_s) == (True, 2.0)

    now[0] = 110.0
    assert not lease.is_valid


def test_boot_clock_runs_while_the_process_is_suspended() -> None:
    assert boot_clock() <= boot_clock()
