"""Requests that all members share, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from streamcord import StoreError
from streamcord_bot.coordination.cluster.rate_share import BLOCK_REQUESTS, SharedRate
from streamcord_bot.coordination.cluster.shard_plan import REQUESTS_PER_S, local_quota


class Pool:
    """What all share, as the table counts it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.spent_until = 0.0
        self.asked = 0

    async def take(self, count: int, rate: float, ahead: float) -> float | None:
        self.asked += 1
        if self.spent_until >= self.now + ahead:
            return None
        begins = max(self.spent_until, self.now)
        self.spent_until = begins + count / rate
        return begins - self.now


async def spend(pool: Pool, rates: list[SharedRate], seconds: float) -> list[float]:
    """When requests go out if everybody always has one to send."""
    sent, begun = [], pool.now
    for step in range(round(seconds * 200)):
        pool.now = begun + step / 200
        for rate in rates:
            while rate.pause(pool.now) == 0:
                rate.take(pool.now)
                sent.append(pool.now)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    return sent


def busiest(sent: list[float]) -> int:
    return max(sum(at <= other < at + 1 for other in sent) for at in sent)


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamcord_bot.coordination.cluster.rate_share.RETRY_INTERVAL_S", 0.0)


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("members", [1, 3, 8, 12])
async def test_all_together_send_what_discord_takes_and_never_more(members: int) -> None:
    pool = Pool()
    rates = [SharedRate(pool.take, lambda: pool.now) for _ in range(members)]
    for rate in rates:
        rate.set_members(members, is_new=False)

    sent = await spend(pool, rates, 5.0)

    assert busiest(sent) <= 50
    assert len(sent) > 0.8 * REQUESTS_PER_S * 5


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("joining", [1, 2])
async def test_unknown_new_member_does_not_raise_the_total_rate(joining: int) -> None:
    pool = Pool()
    old, *new = (SharedRate(pool.take, lambda: pool.now) for _ in range(1 + joining))
    old.set_members(1, is_new=False)
    for rate in new:
        rate.set_members(1 + joining, is_new=True, known=1)

    sent = await spend(pool, [old, *new], 3.0)

    assert busiest(sent) <= 45


@pytest.mark.usefixtures("no_waiting")
async def test_last_member_does_not_spend_old_blocks() -> None:
    pool = Pool()
    rates = [SharedRate(pool.take, lambda: pool.now) for _ in range(2)]
    for rate in rates:
        rate.set_members(2, is_new=False)
    sent = await spend(pool, rates, 2.0)
    rates[0].set_members(1, is_new=False)

    sent += await spend(pool, rates[:1], 3.0)

    assert busiest(sent) <= 45


async def test_slow_sender_acquires_no_blocks() -> None:
    pool = Pool()
    rate = SharedRate(pool.take, lambda: pool.now)
    rate.set_members(2, is_new=False)
    for number in range(50):
        pool.now = number / 5
        assert rate.pause(pool.now) == 0
        rate.take(pool.now)

    assert pool.asked == 0


async def test_new_member_acquires_blocks_for_every_request() -> None:
    pool = Pool()
    rate = SharedRate(pool.take, lambda: pool.now)

    assert rate.pause(0.0) > 0
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert rate.pause(0.0) == 0
    assert rate.blocks == 1
    assert len(rate._due) == BLOCK_REQUESTS


async def test_unused_block_expires() -> None:
    pool = Pool()
    rate = SharedRate(pool.take, lambda: pool.now)
    rate.pause(0.0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert rate.pause(10.0) > 0


async def test_database_outage_slows_requests_but_does_not_stop_them(no_waiting: None) -> None:
    async def away(*_: object) -> float | None:
        raise StoreError("away")

    rate = SharedRate(away, lambda: 0.0)
    rate.set_members(1, is_new=False)
    sent = 0
    for step in range(2000):
        if rate.pause(step / 1000) == 0:
            rate.take(step / 1000)
            sent += 1
        await asyncio.sleep(0)

    assert sent == pytest.approx(local_quota(1, is_new=False) * 2 + rate.burst, abs=2)
