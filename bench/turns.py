"""Check that turns have bounded memory: many that wait, and one that never ends.

python bench/turns.py
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from board import Board
from parts import run_parts

from streamcord import Degree, Message, Receipt, Settings, Stop, StopMode, TextDelta, say

MEBI = 1024 * 1024
IDLE_TURNS = 1000
IDLE_MIB = 64
ENDLESS_MIB = 32
UNCAPPED = Settings(degree=Degree.LIGHT, message_cap=0)


class NullChannel:
    """A transport that accepts every message and keeps none."""

    async def send(self, message: Message) -> Receipt:
        return Receipt(message, 1)

    async def typing(self) -> None:
        pass


def rss() -> int:
    """Return the bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def silent() -> AsyncIterator[TextDelta]:
    """Begin an answer and never continue."""
    yield TextDelta("Hello, this is the beginning of an ")
    await asyncio.Event().wait()


async def idle_turns() -> int:
    """Return by how many bytes the process grows while turns wait for their models."""
    gc.collect()
    before = rss()
    stops = [Stop() for _ in range(IDLE_TURNS)]
    turns = [asyncio.create_task(say(NullChannel(), silent(), stop=stop)) for stop in stops]
    # Let every turn reach the point where it waits.
    for _ in range(5):
        await asyncio.sleep(0.05)
    gc.collect()
    grown = rss() - before
    for stop in stops:
        stop.ask(StopMode.NOW)
    await asyncio.gather(*turns)
    return grown


async def endless_stream(length: int) -> int:
    """Return by how many bytes the process grows over an endless stream."""
    piece = "A line of an answer that does not want to come to an end at all.\n" * 16

    async def source() -> AsyncIterator[TextDelta]:
        for _ in range(length // len(piece)):
            yield TextDelta(piece)

    gc.collect()
    before = rss()
    await say(NullChannel(), source(), settings=UNCAPPED)
    return rss() - before


def turn_memory(board: Board) -> None:
    """Measure the process, which also shows what tracemalloc does not see."""
    board.head("Bounded memory of turns (resident memory of the process)")
    # The stream comes first: memory that the idle turns free would hide its growth.
    grown = asyncio.run(endless_stream(64 * MEBI)) / MEBI
    board.row("stream of 64 MiB", f"{grown:.1f} MiB", f"≤ {ENDLESS_MIB} MiB", grown <= ENDLESS_MIB)
    idle = asyncio.run(idle_turns()) / MEBI
    board.row(f"{IDLE_TURNS} turns that wait", f"{idle:.1f} MiB", f"≤ {IDLE_MIB} MiB", idle <= IDLE_MIB)


PARTS = {"turn_memory": turn_memory}


if __name__ == "__main__":
    sys.exit(run_parts(PARTS))
