"""The scenarios R of resources, by their ids.

R-08 needs a journal; what a full disk does to a recording is tested in `preview/test_recording.py`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tracemalloc
from collections.abc import AsyncIterator, Callable

import pytest

from providers.loopback import DONE, chat, serving, streaming
from streamcord import (
    Degree,
    Ending,
    Message,
    ProviderEvent,
    Receipt,
    RunningTurns,
    Settings,
    StopOutcome,
    StopRequester,
    TextDelta,
    ThoughtDelta,
    TurnResult,
    say,
)
from virtual_time import Channel, covers, timeless

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
    source = Endless(lambda number: f"Line {number} of very many" + ", and of more" * 40 + ".\n")

    result, peak = await weighed(source)

    assert result.ending is Ending.MESSAGE_LIMIT
    assert source.closed
    assert source.length < MEBI + 600  # a line more
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
async def test_r_03_a_stream_that_waits_holds_little() -> None:
    async def silent() -> AsyncIterator[str]:
        yield "Hello, this is the beginning of an "
        await asyncio.Event().wait()

    tracemalloc.start()
    try:
        turns = [asyncio.create_task(say(Bin(), silent())) for _ in range(100)]
        await asyncio.sleep(1.0)
        held = tracemalloc.get_traced_memory()[0] / 100
    finally:
        tracemalloc.stop()
        for turn in turns:
            turn.cancel()
        await asyncio.wait(turns)

    assert held <= 64 * 1024


@timeless
async def test_r_04_turns_one_after_the_other_leave_nothing_behind() -> None:
    stops = RunningTurns()

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
    stops = RunningTurns()
    for channel in range(10_000):
        async with stops.turn(channel, owner=channel):
            pass
        assert await stops.ask(channel, StopRequester(channel)) is StopOutcome.NOTHING

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


STARVING = """
import asyncio, json, os, resource, sys
from streamcord import ProviderError
from streamcord.providers import user
from streamcord._providers.http import HttpProvider

async def ask(provider):
    try:
        return "".join([getattr(event, "text", "") async for event in provider.stream(user("Hi"))])
    except ProviderError as error:
        return type(error).__name__, error.retryable, error.user_message

async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    async with HttpProvider("custom", base_url=sys.argv[1], model="m") as provider:
        held = []
        try:
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        starved = await ask(provider)
        for file in held:
            os.close(file)
        print(json.dumps([starved, await ask(provider)]))

asyncio.run(main())
"""


async def test_r_07_without_file_descriptors_the_error_is_typed_and_passes_with_them() -> None:
    async with serving(streaming(chat("Fine."), chat(finish="stop"), DONE)) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", STARVING, server.url, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()

    (name, retryable, advice), later = json.loads(out)
    assert (name, retryable) == ("Overloaded", True)
    assert "cannot be reached" in advice
    assert later == "Fine."
