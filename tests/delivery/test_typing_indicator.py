from __future__ import annotations

import asyncio

from streamcord import ChannelGone
from streamcord._delivery.pace import Pace
from streamcord._delivery.typing_indicator import TYPING_TIMEOUT, Typist
from virtual import Channel, now, timeless


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
    typist = Typist(channel, Pace())
    await typist.show()
    assert (now(), channel.typed) == (0.0, [0.0])
    await asyncio.sleep(60)

    assert channel.ended == TYPING_TIMEOUT


@timeless
async def test_one_call_at_a_time() -> None:
    channel = Slow()
    typist = Typist(channel, Pace())
    await typist.show()
    await typist.show()
    assert channel.typed == [0.0]
    await typist.rest()


@timeless
async def test_at_rest_no_call_runs() -> None:
    channel = Slow()
    typist = Typist(channel, Pace())
    await typist.show()
    await asyncio.sleep(0.5)
    await typist.rest()
    await typist.rest()

    assert channel.ended == 0.5


@timeless
async def test_a_call_that_fails_is_nobodys_trouble() -> None:
    class Gone(Channel):
        async def typing(self) -> None:
            raise ChannelGone("gone")

    typist = Typist(Gone(), Pace())
    await typist.show()
    await asyncio.sleep(1)


@timeless
async def test_calls_keep_below_their_limit() -> None:
    channel = Channel()
    typist = Typist(channel, Pace())
    for _ in range(100):
        await typist.show()
        await asyncio.sleep(0.1)

    for start in range(5):
        assert sum(start <= at < start + 5 for at in channel.typed) <= 8
    assert len(channel.typed) <= 4 + 10 / 1.25


@timeless
async def test_in_a_hurry_or_when_it_is_off_nobody_is_shown() -> None:
    channel, pace = Channel(), Pace()
    await Typist(channel, pace, on=False).show()
    pace.hurry()
    await Typist(channel, pace).show()

    assert channel.typed == []
