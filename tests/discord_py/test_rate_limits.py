from __future__ import annotations

import asyncio
from typing import Any

import pytest

from delivery.stage import on_stage
from discord_twin import TwinOptions
from streamcord import DeliveryError, DeliveryUnavailable, Message, NotAllowed
from streamcord._delivery.leaky_bucket import LeakyBucket
from streamcord._discord import rate_limits as request_limits
from streamcord._discord.global_rate_limit import (
    GLOBAL_BURST,
    OVERDUE_S,
    GlobalLimit,
    RequestFigures,
    RequestPriority,
)
from streamcord._discord.rate_limits import (
    ChannelLimit,
    ClientLimits,
    block_requests,
    has_request_slot,
    limits_of,
    share_requests,
    wait_for_request_slot,
)
from streamcord._discord.raw_http import Response
from streamcord._discord.webhooks.rate_limits import MIN_BAN_PAUSE_S, PACING_S, WebhookLimit
from virtual_time import now, timeless

# --- Channel limits ---


@timeless
async def test_all_requests_together_keep_a_rate() -> None:
    limits = ClientLimits()
    await asyncio.gather(*(limits.wait() for _ in range(GLOBAL_BURST + 42)))

    assert now() == pytest.approx(1.0)


@timeless
async def test_requests_that_are_late_on_their_way_stay_below_the_limit() -> None:
    limits, sent = ClientLimits(), list[float]()

    async def send() -> None:
        await limits.wait()
        sent.append(now())

    await asyncio.gather(*(send() for _ in range(200)))

    # A request that takes 0.1 s longer than another arrives together with those that were sent 0.1 s later.
    most = max(sum(first <= one < first + 1.1 for one in sent) for first in sent)
    assert 46 <= most <= 50


@timeless
async def test_blocked_client_sends_nothing_until_the_block_ends() -> None:
    limits = ClientLimits()
    limits.record_error(DeliveryUnavailable("banned", retry_after=300.0), 429)
    with pytest.raises(DeliveryUnavailable) as first:
        await limits.wait()
    await asyncio.sleep(100)
    with pytest.raises(DeliveryUnavailable) as second:
        await limits.wait()

    assert first.value is not second.value
    assert (first.value.retry_after, second.value.retry_after) == (300.0, 200.0)
    await asyncio.sleep(200)
    await limits.wait()


@timeless
async def test_waiting_requests_fail_at_once_when_the_client_is_blocked() -> None:
    limits = ClientLimits()
    waiting = [asyncio.create_task(limits.wait()) for _ in range(GLOBAL_BURST + 40)]
    await asyncio.sleep(0.51)
    limits.block(DeliveryUnavailable("banned", retry_after=300.0), 300.0)
    found = await asyncio.gather(*waiting, return_exceptions=True)

    assert now() == pytest.approx(0.51)
    assert sum(isinstance(one, DeliveryUnavailable) for one in found) == 19
    await asyncio.sleep(300)
    await limits.wait()


@timeless
async def test_a_token_that_is_not_valid_is_never_used_again() -> None:
    limits = ClientLimits()
    limits.record_error(NotAllowed("no"), 401)
    await asyncio.sleep(1_000_000)
    with pytest.raises(NotAllowed):
        await limits.wait()


@pytest.mark.parametrize(
    ("error", "status"),
    [(NotAllowed("no"), 403), (DeliveryUnavailable("busy"), 429), (DeliveryUnavailable("x"), 503)],
)
def test_other_errors_do_not_block_the_client(error: DeliveryError, status: int) -> None:
    @timeless
    async def scenario() -> None:
        limits = ClientLimits()
        assert limits.record_error(error, status) is error
        await limits.wait()

    scenario()


@timeless
async def test_lanes_are_remembered_up_to_a_cap_and_busy_ones_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "MAX_CHANNELS", 2)
    limits = ClientLimits()
    first, second = limits.channel(1), limits.channel(2)
    assert limits.channel(1) is first
    limits.channel(3)

    assert limits.channel(1) is first
    assert limits.channel(2) is not second
    async with limits.channel(3).lock:
        held = limits.channel(3)
        limits.channel(4)
        limits.channel(5)
        assert limits.channel(3) is held


@timeless
async def test_a_client_has_one_limits_and_a_stranger_his_own() -> None:
    async with on_stage() as stage:
        assert limits_of(stage.client.http) is limits_of(stage.client.http)

    assert limits_of(None) is not limits_of(None)


@timeless
async def test_headers_teach_the_lane_and_one_place_stays_free() -> None:
    async with on_stage(TwinOptions()) as stage:
        channel = stage.channel()
        pauses = []
        for number in range(4):
            await channel.send(Message(str(number)))
            pauses.append(channel.pause(Message("x")))

        assert pauses[:3] == [0.0, 0.0, 0.0]
        assert 0.9 < pauses[3] <= 1.0


@timeless
async def test_where_no_place_is_left_the_whole_window_is_waited_for() -> None:
    async with on_stage(TwinOptions(leaky=False)) as stage:
        channel = stage.channel()
        for number in range(5):
            await channel.send(Message(str(number)))
        assert 4.0 < channel.pause(Message("x")) <= 5.01

        assert stage.twin.log.count(status=429) == 0


def test_a_bucket_that_nobody_knows_teaches_nothing() -> None:
    @timeless
    async def scenario() -> None:
        lane = ChannelLimit()
        lane.learn(None, 1, now())
        assert lane.pause(now()) == 0.0

    scenario()


# --- Global limit ---


async def note(limit: GlobalLimit, rank: RequestPriority, name: str, log: list[tuple[str, float]]) -> None:
    await limit.wait(rank)
    log.append((name, round(now(), 3)))


@timeless
async def test_the_more_urgent_goes_first_and_the_rate_is_kept() -> None:
    limit, log = GlobalLimit(LeakyBucket(1, 1.0)), list[tuple[str, float]]()
    start = now()
    await asyncio.gather(
        note(limit, RequestPriority.USUAL, "through", log),
        note(limit, RequestPriority.COURTESY, "last", log),
        note(limit, RequestPriority.USUAL, "third", log),
        note(limit, RequestPriority.FIRST, "second", log),
    )

    assert [name for name, _ in log] == ["through", "second", "third", "last"]
    assert [at - start for _, at in log] == [0, 1, 2, 3]
    assert limit.is_busy


@timeless
async def test_who_gives_up_takes_no_place() -> None:
    limit, log = GlobalLimit(LeakyBucket(1, 1.0)), list[tuple[str, float]]()
    await limit.wait()
    start = now()
    leaving = asyncio.create_task(note(limit, RequestPriority.FIRST, "leaves", log))
    staying = asyncio.create_task(note(limit, RequestPriority.USUAL, "stays", log))
    await asyncio.sleep(0.5)
    leaving.cancel()
    await staying

    assert [(name, at - start) for name, at in log] == [("stays", 1.0)]


@timeless
async def test_it_is_free_again_once_all_have_passed() -> None:
    limit = GlobalLimit(LeakyBucket(2, 1.0))
    assert not limit.is_busy
    await limit.wait()
    await limit.wait()
    assert limit.is_busy
    await asyncio.sleep(2)
    assert not limit.is_busy


# --- Webhook limits ---

VIA = {"Via": "1.1 google"}


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def taken(remaining: object = 3, after: object = 2.0) -> Response:
    headers = {"X-RateLimit-Remaining": str(remaining), "X-RateLimit-Reset-After": str(after)}
    return Response(200, {**VIA, **headers})


def refused(after: float, remaining: int = 0, **more: Any) -> Response:
    return Response(429, {**VIA, "X-RateLimit-Remaining": str(remaining), **more}, {"retry_after": after})


def test_a_limit_that_nobody_used_asks_for_no_pause() -> None:
    assert WebhookLimit(Time()).pause() == 0


def test_after_the_last_request_the_reset_is_waited_for() -> None:
    time = Time()
    limit = WebhookLimit(time)
    limit.record_response(taken(1))
    assert limit.pause() == 0
    limit.record_response(taken(0, 1.5))
    assert limit.pause() == 1.5
    time.now += 1.5
    assert limit.pause() == 0


def test_a_refusal_is_waited_for_as_long_as_it_says() -> None:
    limit = WebhookLimit(Time())
    limit.record_response(refused(12.5))
    limit.record_response(refused(3.0))

    assert limit.pause() == 12.5


def test_a_wait_of_nothing_is_none() -> None:
    time = Time()
    limit = WebhookLimit(time)
    limit.record_response(taken(0, 0.1 + 0.2))
    time.now = 1000.0 + 0.3 - 1e-9

    assert limit.pause() == 0


def test_a_hidden_limit_is_kept_once_it_was_met() -> None:
    time = Time()
    limit = WebhookLimit(time)
    for _ in range(30):
        limit.record_response(taken())
        time.now += 1
    assert limit.pause() == 0
    limit.record_response(refused(30.0, remaining=4))
    time.now += 30
    for _ in range(30):
        assert limit.pause() == 0
        limit.record_response(taken())
        time.now += 1

    assert limit.pause() == 30
    time.now += PACING_S
    assert limit.pause() == 0


def test_cloudflare_is_left_alone_for_a_while() -> None:
    banned = Response(429, {"Retry-After": "3"})
    limit = WebhookLimit(Time())
    limit.record_response(banned)

    assert banned.is_from_cloudflare
    assert not refused(1.0).is_from_cloudflare
    assert limit.pause() == MIN_BAN_PAUSE_S


@pytest.mark.parametrize(("remaining", "after"), [("-3", "-4.5"), ("0", "soon"), ("0", ""), ("", "5")])
def test_nonsense_in_headers_means_nothing(remaining: str, after: str) -> None:
    limit = WebhookLimit(Time())
    limit.record_response(taken(remaining, after))

    assert limit.pause() == 0


def test_no_header_makes_us_wait_for_ever() -> None:
    limit = WebhookLimit(Time())
    limit.record_response(taken(0, 1e300))

    assert limit.pause() == PACING_S


# --- Request slots ---


class Http:
    """What requests of one client go through."""


class State:
    http = Http()


class Place:
    _state = State()


@timeless
async def test_first_words_of_one_answer_go_before_the_reads_of_the_next() -> None:
    limit, log = GlobalLimit(LeakyBucket(1, 1.0)), list[tuple[str, float]]()
    await limit.wait()
    await asyncio.gather(
        note(limit, RequestPriority.COURTESY, "button", log),
        note(limit, RequestPriority.EDIT, "edit", log),
        note(limit, RequestPriority.USUAL, "second message", log),
        note(limit, RequestPriority.CONTEXT, "history", log),
        note(limit, RequestPriority.FIRST, "first words", log),
    )

    assert [name for name, _ in log] == ["first words", "history", "second message", "edit", "button"]


@timeless
async def test_request_that_waits_too_long_is_sent_between_urgent_ones() -> None:
    limit, log = GlobalLimit(LeakyBucket(1, 1.0)), list[tuple[str, float]]()
    await limit.wait()
    late = [note(limit, RequestPriority.COURTESY, "button", log) for _ in range(3)]
    urgent = [note(limit, RequestPriority.FIRST, "first words", log) for _ in range(30)]
    await asyncio.gather(*late, *urgent)

    buttons = [at for name, at in log if name == "button"]
    assert buttons == [pytest.approx(one) for one in (OVERDUE_S + 1, OVERDUE_S + 3, OVERDUE_S + 5)]


@timeless
async def test_typing_is_left_out_where_it_would_delay_a_message() -> None:
    limit = GlobalLimit(LeakyBucket(3, 1.0))
    assert limit.take_if_idle(RequestPriority.TYPING)
    assert limit.take_if_idle(RequestPriority.TYPING)
    # One slot is left for a message.
    assert not limit.take_if_idle(RequestPriority.TYPING)
    await limit.wait(RequestPriority.FIRST)
    assert now() == 0.0
    waiting = asyncio.create_task(limit.wait(RequestPriority.USUAL))
    await asyncio.sleep(0)
    figures = limit.figures

    assert figures[RequestPriority.TYPING] == RequestFigures(sent=2, left_out=1)
    assert figures[RequestPriority.USUAL] == RequestFigures(waiting=1)
    await waiting


@timeless
async def test_request_slots_are_free_until_many_requests_wait() -> None:
    place = Place()
    assert has_request_slot(place)
    for _ in range(5):
        assert await wait_for_request_slot(place)

    assert not has_request_slot(place)


@timeless
async def test_while_discord_is_shut_nothing_goes_out() -> None:
    place = Place()
    limits_of(State.http).block(DeliveryUnavailable("later", retry_after=5), 5)

    assert not await wait_for_request_slot(place)
    assert not has_request_slot(place)


@timeless
async def test_servers_take_turns_however_much_one_of_them_sends() -> None:
    limit, order = GlobalLimit(LeakyBucket(1, 1.0)), list[int]()

    async def send(server: int) -> None:
        await limit.wait(RequestPriority.USUAL, server)
        order.append(server)

    await limit.wait()
    flood = [asyncio.create_task(send(1)) for _ in range(50)]
    await asyncio.sleep(5.5)
    late = [asyncio.create_task(send(server)) for server in (2, 3, 2)]
    await asyncio.gather(*flood, *late)

    assert order[:10] == [1, 1, 1, 1, 1, 1, 2, 3, 1, 2]
    assert order.count(1) == 50


@timeless
async def test_a_conversation_outside_of_servers_is_somebody_of_its_own() -> None:
    class Place:
        def __init__(self, id_: int, guild_id: int = 0) -> None:
            self.id, self.guild_id = id_, guild_id

    limits, order = ClientLimits(), list[int]()

    async def send(place: Place) -> None:
        await limits.wait(place=place)
        order.append(place.id)

    places = [Place(1), Place(1), Place(1), Place(2), Place(11, 9), Place(12, 9)]
    await asyncio.gather(*(limits.wait() for _ in range(GLOBAL_BURST)), *(send(place) for place in places))

    assert order == [1, 2, 11, 1, 12, 1]


# --- Shared with other processes ---


class SharedClient:
    """As much of a client as limits are kept for."""

    def __init__(self) -> None:
        self.http = ClientLimits()


@timeless
async def test_shared_rate_replaces_our_own_and_bans_are_reported() -> None:
    client, told = SharedClient(), list[tuple[float, str]]()
    share_requests(client, LeakyBucket(1, 2.0), lambda *stop: told.append(stop))
    limits = limits_of(client.http)
    for _ in range(3):
        await limits.wait()
    assert now() == pytest.approx(4.0)

    limits.record_error(DeliveryUnavailable("banned", retry_after=300.0), 429)
    limits.record_error(NotAllowed("401"), 401)

    assert told == [(300.0, "banned"), (float("inf"), "401")]


@timeless
async def test_behind_a_proxy_nothing_is_counted() -> None:
    client = SharedClient()
    share_requests(client, None, lambda *_: None)
    for _ in range(1000):
        await limits_of(client.http).wait()

    assert now() == 0.0


@timeless
async def test_ban_of_another_process_blocks_this_one_until_it_ends() -> None:
    client = SharedClient()
    block_requests(client, 60.0, "banned elsewhere")
    with pytest.raises(DeliveryUnavailable, match="banned elsewhere"):
        await limits_of(client.http).wait()
    block_requests(client, 0.0, "")

    await limits_of(client.http).wait()
