from __future__ import annotations

import asyncio

import pytest

from delivery.stage import on_stage
from streamcord import DeliveryError, Message, NotAllowed, Unavailable
from streamcord._discord import channel_limits as lanes
from streamcord._discord.channel_limits import GLOBAL_BURST, Lane, Office, find_office
from streamcord.twin import Switches
from virtual import now, timeless


@timeless
async def test_all_requests_together_keep_a_rate() -> None:
    office = Office()
    await asyncio.gather(*(office.admit() for _ in range(GLOBAL_BURST + 40)))

    assert now() == pytest.approx(1.0)


@timeless
async def test_a_shut_door_lets_nothing_through_until_its_time_is_over() -> None:
    office = Office()
    office.judge(Unavailable("banned", retry_after=300.0), 429)
    with pytest.raises(Unavailable) as first:
        await office.admit()
    await asyncio.sleep(100)
    with pytest.raises(Unavailable) as second:
        await office.admit()

    assert first.value is not second.value
    assert (first.value.retry_after, second.value.retry_after) == (300.0, 200.0)
    await asyncio.sleep(200)
    await office.admit()


@timeless
async def test_a_token_that_is_not_valid_is_never_used_again() -> None:
    office = Office()
    office.judge(NotAllowed("no"), 401)
    await asyncio.sleep(1_000_000)
    with pytest.raises(NotAllowed):
        await office.admit()


@pytest.mark.parametrize(
    ("error", "status"), [(NotAllowed("no"), 403), (Unavailable("busy"), 429), (Unavailable("x"), 503)]
)
def test_other_news_shut_no_door(error: DeliveryError, status: int) -> None:
    @timeless
    async def scenario() -> None:
        office = Office()
        assert office.judge(error, status) is error
        await office.admit()

    scenario()


@timeless
async def test_lanes_are_remembered_up_to_a_cap_and_busy_ones_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "LANE_CAP", 2)
    office = Office()
    first, second = office.lane(1), office.lane(2)
    assert office.lane(1) is first
    office.lane(3)

    assert office.lane(1) is first
    assert office.lane(2) is not second
    async with office.lane(3).lock:
        held = office.lane(3)
        office.lane(4)
        office.lane(5)
        assert office.lane(3) is held


@timeless
async def test_a_client_has_one_office_and_a_stranger_his_own() -> None:
    async with on_stage() as stage:
        assert find_office(stage.client.http) is find_office(stage.client.http)

    assert find_office(None) is not find_office(None)


@timeless
async def test_headers_teach_the_lane_and_one_place_stays_free() -> None:
    async with on_stage(Switches()) as stage:
        channel = stage.channel()
        pauses = []
        for number in range(4):
            await channel.send(Message(str(number)))
            pauses.append(channel.pause(Message("x")))

        assert pauses[:3] == [0.0, 0.0, 0.0]
        assert 0.9 < pauses[3] <= 1.0


@timeless
async def test_where_no_place_is_left_the_whole_window_is_waited_for() -> None:
    async with on_stage(Switches(leaky=False)) as stage:
        channel = stage.channel()
        for number in range(5):
            await channel.send(Message(str(number)))
        assert 4.0 < channel.pause(Message("x")) <= 5.01

        assert stage.twin.log.count(status=429) == 0


def test_a_bucket_that_nobody_knows_teaches_nothing() -> None:
    @timeless
    async def scenario() -> None:
        lane = Lane()
        lane.learn(None, 1, now())
        assert lane.pause(now()) == 0.0

    scenario()
