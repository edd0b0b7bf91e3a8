from __future__ import annotations

import asyncio
import gc

import pytest

from streamcord import ChannelGone
from streamcord._delivery.pace import TYPING_TIMEOUT, Pace, Rate, TypingIndicator
from virtual import Channel, now, timeless

# --- Pace ---


async def after(seconds: float, value: str = "done") -> str:
    await asyncio.sleep(seconds)
    return value


def hurry_in(pace: Pace, seconds: float, patience: float | None = None) -> None:
    asyncio.get_running_loop().call_later(seconds, pace.hurry, patience)


@timeless
async def test_a_wait_ends_when_somebody_is_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 2.0)
    await pace.wait(60.0)
    assert (now(), pace.hurried) == (2.0, True)
    await pace.wait(60.0)
    assert now() == 2.0


@timeless
async def test_nothing_is_waited_for_in_no_time() -> None:
    await Pace().wait(0.0)

    assert now() == 0.0


@timeless
async def test_what_is_done_in_time_is_done() -> None:
    pace = Pace()

    assert await pace.unless_hurried(after(1.0)) == "done"
    assert await pace.in_time(after(1.0)) == "done"


@timeless
async def test_what_is_not_is_given_up_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.unless_hurried(after(60.0)) is None
    assert now() == 1.0


@timeless
async def test_what_is_in_flight_may_take_as_long_as_there_is_patience() -> None:
    pace = Pace()
    hurry_in(pace, 1.0, 5.0)
    assert await pace.in_time(after(4.0)) == "done"
    with pytest.raises(TimeoutError):
        await pace.in_time(after(60.0))

    assert now() == 9.0


@timeless
async def test_without_a_bound_it_may_take_as_long_as_it_likes() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.in_time(after(60.0)) == "done"


@timeless
async def test_what_fails_fails() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    pace = Pace()
    for way in (pace.in_time, pace.unless_hurried):
        with pytest.raises(ZeroDivisionError):
            await way(fail())


@timeless
async def test_who_is_cancelled_leaves_nothing_running() -> None:
    pace = Pace()
    waiting = asyncio.create_task(pace.in_time(after(60.0)))
    await asyncio.sleep(1.0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@timeless
async def test_a_sleep_without_a_clock_is_the_only_time_there_is() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = Pace(sleep)
    await pace.sleep(1.5)
    await asyncio.sleep(100)

    assert (pace.now(), slept) == (1.5, [1.5])
    assert now() == 100


@timeless
async def test_a_clock_of_its_own_is_believed() -> None:
    assert Pace(None, lambda: 42.0).now() == 42.0


# --- Rates ---


def test_a_burst_is_free_and_then_one_in_each_period() -> None:
    rate = Rate(4, 1.0)
    waits = [rate.take(0.0) for _ in range(6)]

    assert waits == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]


def test_what_has_drained_is_free_again() -> None:
    rate = Rate(2, 0.5)
    for _ in range(2):
        rate.take(10.0)

    assert rate.pause(10.0) == 0.5
    assert rate.pause(10.25) == 0.25
    assert rate.pause(10.5) == 0.0
    assert rate.pause(99.0) == 0.0


def test_looking_takes_nothing() -> None:
    rate = Rate(1, 1.0)
    assert [rate.pause(0.0), rate.pause(0.0)] == [0.0, 0.0]


def test_discord_is_believed() -> None:
    rate = Rate(4, 1.0)
    rate.correct(4, 0.25, 7.0)

    assert rate.pause(7.0) == 0.25
    rate.correct(0, 0.0, 7.0)
    assert rate.pause(7.0) == 0.0


# --- Typing indicator ---


class Slow(Channel):
    """A channel whose typing calls take their time."""

    ended = 0.0

    async def typing(self) -> None:
        await super().typing()
        try:
            await asyncio.sleep(3600)
        finally:
            self.ended = now()


@timeless
async def test_a_call_holds_up_nobody_and_ends_by_itself() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, Pace())
    await indicator.show()
    assert (now(), channel.typed) == (0.0, [0.0])
    await asyncio.sleep(60)

    assert channel.ended == TYPING_TIMEOUT


@timeless
async def test_one_call_at_a_time() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, Pace())
    await indicator.show()
    await indicator.show()
    assert channel.typed == [0.0]
    await indicator.rest()


@timeless
async def test_at_rest_no_call_runs() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, Pace())
    await indicator.show()
    await asyncio.sleep(0.5)
    await indicator.rest()
    await indicator.rest()

    assert channel.ended == 0.5


@timeless
async def test_a_call_that_fails_or_hangs_is_nobodys_trouble() -> None:
    class Gone(Channel):
        async def typing(self) -> None:
            await super().typing()
            raise ChannelGone("gone")

    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["message"]))
    for channel in (Gone(), Slow()):
        indicator = TypingIndicator(channel, Pace())
        await indicator.show()
        await asyncio.sleep(TYPING_TIMEOUT + 1)
        # The next call is not held up by the one that failed.
        await indicator.show()
        await indicator.rest()

        assert len(channel.typed) == 2
    # A task that failed unseen says so when it is thrown away.
    gc.collect()
    assert complaints == []


@timeless
async def test_calls_keep_below_their_limit() -> None:
    channel = Channel()
    indicator = TypingIndicator(channel, Pace())
    for _ in range(100):
        await indicator.show()
        await asyncio.sleep(0.1)

    for start in range(5):
        assert sum(start <= at < start + 5 for at in channel.typed) <= 8
    assert len(channel.typed) <= 4 + 10 / 1.25


@timeless
async def test_in_a_hurry_or_when_it_is_off_nobody_is_shown() -> None:
    channel, pace = Channel(), Pace()
    await TypingIndicator(channel, pace, on=False).show()
    pace.hurry()
    await TypingIndicator(channel, pace).show()

    assert channel.typed == []
