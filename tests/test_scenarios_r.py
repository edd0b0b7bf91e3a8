"""The scenarios R of resources, by their ids.

R-03 is measured in `bench/turns.py`; R-07 and R-08 need a bot or a journal.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import AsyncIterator, Callable

import pytest

from streamcord import (
    Asker,
    Degree,
    Ending,
    Message,
    ProviderEvent,
    Receipt,
    Settings,
    StopAnswer,
    Stops,
    TextDelta,
    ThoughtDelta,
    TurnResult,
    say,
)
from virtual import Channel, covers, timeless

MEBI = 1024 * 1024
OPEN = Settings(degree=Degree.LIGHT, message_cap=0)


class Endless:
    """A source without end; it counts what it was asked for."""

    def __init__(
        self, make: Callable[[int], str | ProviderEvent], start: str = "", cap: int = 1 << 62
    ) -> None:
        self.make, self.start, self.cap = make, start, cap
        self.length = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[str | ProviderEvent]:
        try:
            if self.start:
                yield self.start
            number = 0
            while self.length < self.cap:
                piece = self.make(number)
                number += 1
                self.length += len(piece if isinstance(piece, str) else getattr(piece, "text", ""))
                yield piece
        finally:
            self.closed = True


class Bin(Channel):
    """A channel that keeps nothing."""

    async def typing(self) -> None:
        pass


async def weighed(source: Endless, settings: Settings = OPEN) -> tuple[TurnResult, int]:
    """The result of a turn, and the most memory that was in use during it."""
    tracemalloc.start()
    try:
        result = await say(Bin(), source, settings=settings)
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@timeless
async def test_r_01_an_endless_stream_is_cut_at_its_cap_and_reported() -> None:
    source = Endless(lambda number: f"Line {number} of very many.\n")

    result, peak = await weighed(source)

    assert result.ending is Ending.MESSAGE_LIMIT
    assert source.closed
    assert source.length < MEBI + 100
    assert covers(result, result.counts.received)
    assert peak < 64 * MEBI


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        ("", "x" * 1000),
        ("<think>", "hm " * 300),
        ("<details>", "hm " * 300),
        ("[", "123" * 300),
        ("```\n", "code\n" * 200),
        ("||", "spoiler " * 100),
    ],
)
def test_r_02_every_hold_has_its_cap(start: str, piece: str) -> None:
    @timeless
    async def run() -> None:
        source = Endless(lambda _: TextDelta(piece), start)

        result, peak = await weighed(source)

        assert result.ending is Ending.MESSAGE_LIMIT
        assert source.length < MEBI + 2000
        assert peak < 64 * MEBI

    run()


@timeless
async def test_r_02_endless_thoughts_are_kept_up_to_a_cap() -> None:
    thought = "hm " * 3000
    source = Endless(lambda _: ThoughtDelta(thought), cap=16 * MEBI)

    result, peak = await weighed(source)

    assert len(result.thoughts.raw) <= MEBI
    assert peak < 16 * MEBI


@timeless
async def test_r_04_turns_one_after_the_other_leave_nothing_behind() -> None:
    stops = Stops()

    async def turns(count: int) -> int:
        for number in range(count):
            async with stops.turn(number) as stop:
                await say(Channel(), Endless(lambda _: "Hi.\n", cap=8), stop=stop, settings=OPEN)
        gc.collect()
        return len(gc.get_objects())

    await turns(50)
    before = await turns(50)
    after = await turns(500)

    assert after - before < 200


@timeless
async def test_r_05_a_registry_holds_only_who_is_there() -> None:
    stops = Stops()
    for channel in range(10_000):
        async with stops.turn(channel, owner=channel):
            pass
        assert await stops.ask(channel, Asker(channel)) is StopAnswer.NOTHING

    assert len(stops) == 0
    assert stops._lanes == {}


@timeless
async def test_r_06_a_slow_channel_pauses_the_reading_and_memory_stays_flat() -> None:
    source = Endless(lambda number: f"Line {number} {'x' * 1000}\n", cap=256 * 1024)
    behind: list[int] = []

    class Slow(Channel):
        async def send(self, message: Message) -> Receipt:
            behind.append(source.length - sum(map(len, self.texts)))
            return await super().send(message)

    channel = Slow(latency=10.0)
    await say(channel, source, settings=OPEN)

    assert max(behind) < 64 * 1024 + 8 * 1024
    assert sum(map(len, channel.texts)) >= 250 * 1024
