"""What a turn costs: memory of many idle ones, memory of an endless one, time per event.

Bars: 1 000 idle turns take at most 64 MiB over the start; an endless stream of 256 MiB with `message_cap=0`
grows the process by at most 32 MiB. Exits with 1 if one is missed.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from streamcord import Degree, Finish, Message, Receipt, Settings, Stop, StopMode, TextDelta, say

MEBI = 1024 * 1024
OPEN = Settings(degree=Degree.LIGHT, message_cap=0)


class Bin:
    """A channel that keeps nothing."""

    async def send(self, message: Message) -> Receipt:
        return Receipt(message, 1)

    async def typing(self) -> None:
        pass


def rss() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def silent() -> AsyncIterator[TextDelta]:
    yield TextDelta("Hello, this is the beginning of an ")
    await asyncio.Event().wait()


async def idle_turns(count: int = 1000) -> int:
    """Memory while `count` turns wait for their models."""
    gc.collect()
    before = rss()
    stops = [Stop() for _ in range(count)]
    turns = [asyncio.create_task(say(Bin(), silent(), stop=stop)) for stop in stops]
    for _ in range(5):
        await asyncio.sleep(0.05)
    gc.collect()
    grown = rss() - before
    for stop in stops:
        stop.ask(StopMode.NOW)
    await asyncio.gather(*turns)
    return grown


async def endless_stream(settings: Settings, length: int = 256 * MEBI) -> tuple[int, int, str]:
    """Memory over an endless stream, how much of it was read, and the ending."""
    piece = "A line of an answer that does not want to come to an end at all.\n" * 16
    read = 0

    async def source() -> AsyncIterator[TextDelta]:
        nonlocal read
        while read < length:
            read += len(piece)
            yield TextDelta(piece)

    gc.collect()
    before = rss()
    result = await say(Bin(), source(), settings=settings)
    return rss() - before, read, result.ending.value


async def cost_per_event(count: int = 50_000) -> float:
    """Microseconds of a turn per event of five characters, from the source to the channel."""

    async def source() -> AsyncIterator[TextDelta | Finish]:
        for number in range(count):
            yield TextDelta("word\n" if number % 12 == 11 else "word ")
        yield Finish()

    began = time.process_time()
    await say(Bin(), source(), settings=OPEN)
    return (time.process_time() - began) / count * 1e6


async def main() -> int:
    missed = 0
    idle = await idle_turns()
    missed += idle > 64 * MEBI
    print(f"1 000 idle turns        {idle / MEBI:8.1f} MiB  (bar 64)")
    grown, read, ending = await endless_stream(OPEN)
    missed += grown > 32 * MEBI
    print(f"endless stream          {grown / MEBI:8.1f} MiB  (bar 32), {read / MEBI:.1f} MiB read, {ending}")
    cost = await cost_per_event()
    print(f"one event of 5 letters  {cost:8.2f} µs")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
