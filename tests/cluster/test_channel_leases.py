"""One turn at a time in a channel among all members, and stops that reach it wherever it is."""

from __future__ import annotations

import asyncio
import time

import pytest

from cluster.conftest import BOT, Join
from streamcord import StopMode, StopOutcome, StopRequester
from streamcord_bot.coordination.cluster import channel_leases
from streamcord_bot.coordination.cluster.channel_leases import ChannelLeases
from streamcord_bot.coordination.cluster.shard_plan import ClusterView, LeasedChannel

OWNER = 42


@pytest.fixture
async def two(join: Join, monkeypatch: pytest.MonkeyPatch) -> list[ChannelLeases]:
    """Two members that hear each other."""
    monkeypatch.setattr(channel_leases, "IDLE_RELEASE_S", 0.05)
    members = [await join("1"), await join("2")]
    stops = [ChannelLeases(member) for member in members]
    for member in members:
        member.start()
    for member in members:
        await member.listening.wait()
    return stops


async def test_turns_of_two_processes_in_one_channel_come_one_after_the_other(
    two: list[ChannelLeases],
) -> None:
    order: list[str] = []

    async def speak(stops: ChannelLeases, name: str) -> None:
        async with stops.turn(5, OWNER):
            order.append(f"{name} begins")
            await asyncio.sleep(0.05)
            order.append(f"{name} ends")

    async with asyncio.timeout(10):
        await asyncio.gather(
            *(speak(stops, name) for stops, name in zip(two, "ab", strict=True) for _ in "12")
        )

    assert len(order) == 8
    for begins, ends in zip(order[::2], order[1::2], strict=True):
        assert begins.split()[0] == ends.split()[0]


async def test_another_channel_does_not_wait(two: list[ChannelLeases]) -> None:
    async with asyncio.timeout(5), two[0].turn(5), two[1].turn(6):
        assert two[0].is_busy(5)
        assert not two[0].is_busy(6)


async def test_a_stop_reaches_the_other_process_in_a_moment(two: list[ChannelLeases]) -> None:
    seconds = []
    for _ in range(20):
        async with two[0].turn(5, OWNER) as stop:
            begun = time.perf_counter()
            assert await two[1].ask(5, StopRequester(OWNER)) is StopOutcome.ACCEPTED
            seconds.append(time.perf_counter() - begun)
            assert stop.mode is StopMode.AFTER_THIS
    assert sorted(seconds)[9] < 0.1, "half of them, there and back"


async def test_local_stop_does_not_reach_other_processes(two: list[ChannelLeases]) -> None:
    async with two[0].turn(5, OWNER) as stop:
        assert await two[1].ask_here(5, StopRequester(OWNER)) is StopOutcome.NOTHING
        assert stop.mode is None
        assert await two[0].ask_here(5, StopRequester(OWNER)) is StopOutcome.ACCEPTED


async def test_remote_stop_needs_the_same_permission(two: list[ChannelLeases]) -> None:
    async with two[0].turn(5, OWNER) as stop:
        assert await two[1].ask(5, StopRequester(7)) is StopOutcome.REFUSED
        assert stop.mode is None


async def test_remote_stop_without_a_turn_returns_nothing(
    two: list[ChannelLeases], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel_leases, "STOP_REPLY_TIMEOUT_S", 0.1)

    assert await two[1].ask(5, StopRequester(OWNER)) is StopOutcome.NOTHING


async def test_owner_elsewhere_names_the_leasing_member(two: list[ChannelLeases]) -> None:
    two[0].shard_of = lambda _: next(iter(two[1]._member.owned_shards))
    async with asyncio.timeout(5):
        while not two[1]._member.owned_shards:
            two[1]._member.tick_soon()
            await asyncio.sleep(0.02)
        async with two[0].turn(5):
            await two[1]._member.tick()
            assert two[1].owner_elsewhere(5) == two[0]._member.name
            assert two[0].owner_elsewhere(5) == ""


async def test_turn_stops_when_its_channel_lease_is_reassigned(
    two: list[ChannelLeases], caplog: pytest.LogCaptureFixture
) -> None:
    member = two[0]._member
    two[0].shard_of = lambda _: 0
    async with asyncio.timeout(5):
        while not member.owned_shards:
            member.tick_soon()
            await asyncio.sleep(0.02)
        two[0].shard_of = lambda _: next(iter(member.owned_shards))
        async with two[0].turn(5, OWNER) as stop:
            sql = "UPDATE cluster_channels SET owner = $1 WHERE channel = 5"
            await member.rows.database.read(sql, two[1]._member.name)
            await member.tick()
            assert stop.aborted
    assert "channel 5 was assigned to another member: stopping its answer" in caplog.text


async def test_what_was_seen_before_a_channel_was_taken_stops_nothing(two: list[ChannelLeases]) -> None:
    async with two[0].turn(5, OWNER) as stop:
        before = LeasedChannel(5, two[1]._member.name, fence=two[0]._fences[5] - 1)
        await two[0].check(ClusterView(channels=(before,)))

        assert not stop.aborted


async def test_channel_is_released_only_after_the_journal_is_written(two: list[ChannelLeases]) -> None:
    written = asyncio.Event()

    async def flush() -> bool:
        return written.is_set()

    two[0].flush_journal = flush
    async with two[0].turn(5):
        pass
    await two[0].release_idle()
    assert (await two[1]._member.rows.lease_channel(two[1]._member.name, BOT, 5, 0))[0] == two[0]._member.name
    written.set()
    await two[0].release_idle()
    assert (await two[1]._member.rows.lease_channel(two[1]._member.name, BOT, 5, 0))[0] == two[1]._member.name
