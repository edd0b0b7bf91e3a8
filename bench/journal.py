"""What a journal costs: processor time per answer and the wait for the first message, with and without one.

The answers go through discord.py to a twin in another process, without rate limits. With and without take
turns, many times; each pair gives one difference, and of these the median counts, which half of them lie
around it, and where the true one is with 95 % certainty. Processor time is that of all threads. Bars: at most
10 % more processor time per answer, the first message at most 10 ms later (p50). Prints the price of
`fsync`, too, and how large the files become over many turns. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import math
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import discord

from streamcord import Degree, Finish, Settings, TextDelta, say
from streamcord.discord import DiscordChannel, redirect_discord_py
from streamcord.store import SqlJournal, TurnJournal, open_journal

ANSWERS, LINES, AT_ONCE, PAIRS = 16, 10, 8, 40
PLAIN = Settings(degree=Degree.LIGHT, typing="off", merge="off")
LINE = "A line of an answer that is worth reading from its beginning to its end.\n"
TWIN = """
import asyncio, sys
from discord_twin import Switches, Twin
async def main():
    async with Twin(Switches.without_limits()) as twin:
        channels = [twin.add_channel(f"c{n}").id for n in range(8)]
        print(twin.api_url, twin.gateway_url, twin.cdn_url, twin.token, *channels, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


async def model() -> AsyncIterator[TextDelta | Finish]:
    text = LINE * LINES
    for at in range(0, len(text), 8):
        if at % 160 == 0:
            await asyncio.sleep(0.002)
        yield TextDelta(text[at : at + 8])
    yield Finish()


@dataclass(frozen=True)
class Run:
    """What some answers took, in seconds."""

    processor: float
    """Of each answer, all threads together."""
    loop: float
    """The share of the event loop's thread in it."""
    firsts: Sequence[float]
    """Until the first message of each."""


async def answers(channels: list[discord.TextChannel], journal: SqlJournal | None) -> Run:
    """Answers in all channels at once."""
    firsts: list[float] = []

    async def speak(channel: discord.TextChannel) -> None:
        for _ in range(ANSWERS // AT_ONCE):
            turn = journal.begin(channel=channel.id) if journal else None
            result = await say(
                DiscordChannel(channel), model(), settings=PLAIN, random=Random(1), journal=turn
            )
            assert len(result.receipts) == LINES
            firsts.append(result.counts.first_message or 0.0)

    gc.collect()
    began, loop = time.process_time(), time.thread_time()
    await asyncio.gather(*(speak(channel) for channel in channels))
    if journal is not None:
        await journal.flush()
    took = (time.process_time() - began) / ANSWERS
    return Run(took, (time.thread_time() - loop) / ANSWERS, firsts)


Pairs = list[tuple[Run, Run]]
"""Runs without a journal, each beside one with it."""


async def measure_pairs(channels: list[discord.TextChannel], journal: SqlJournal, count: int) -> Pairs:
    """With and without in turns; which comes first changes, too."""
    pairs: Pairs = []
    for number in range(count):
        if number % 2:
            on = await answers(channels, journal)
            pairs.append((await answers(channels, None), on))
        else:
            pairs.append((await answers(channels, None), await answers(channels, journal)))
    return pairs


def describe(name: str, pairs: Pairs) -> tuple[str, float, float]:
    """A row of the table, how much dearer it is, and how much later the first message comes."""
    more = sorted(on.processor / off.processor - 1 for off, on in pairs)
    count, middle = len(more), statistics.median(more)
    # Of so many differences, that many lie below the true median at most, 95 times of 100.
    apart = min(count // 2, math.ceil(0.98 * math.sqrt(count)))
    low, high = more[count // 2 - apart], more[min(count - 1, count // 2 + apart)]
    off_ms, on_ms = (statistics.median(pair[at].processor for pair in pairs) * 1000 for at in (0, 1))
    threads = statistics.median(on.processor - on.loop for _, on in pairs) * 1000
    first = [statistics.median(f for pair in pairs for f in pair[at].firsts) * 1000 for at in (0, 1)]
    later = first[1] - first[0]
    row = (
        f"| {name} | {off_ms:.1f} ms | {on_ms:.1f} ms | {middle:+.1%} | {low:+.1%} to {high:+.1%} "
        f"| {more[count // 4]:+.1%} to {more[3 * count // 4]:+.1%} | {threads:.2f} ms | {later:+.1f} ms |"
    )
    return row, middle, later


async def measure(channels: list[discord.TextChannel], folder: Path, count: int) -> bool:
    """Print what it costs; whether the bars are held."""
    head = (
        "journal",
        "without",
        "with",
        "more",
        "95 % sure",
        "half of all pairs",
        "in threads",
        "first message",
    )
    print(f"| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}")
    await answers(channels, None)
    async with await open_journal(folder / "on.db") as journal:
        await answers(channels, journal)
        row, more, later = describe("on", await measure_pairs(channels, journal, count))
    print(row, flush=True)
    async with await open_journal(folder / "fsync.db", fsync=True) as journal:
        await answers(channels, journal)
        print(describe("with `fsync`", await measure_pairs(channels, journal, max(1, count // 4)))[0])
    print()
    return more <= 0.10 and later <= 10


async def file_size(folder: Path, turns: int) -> int:
    """Bytes of the database and what is beside it, at most, over so many turns; eight are under way."""
    largest = 0
    begun: deque[TurnJournal] = deque()
    async with await open_journal(folder / "size.db") as journal:
        for number in range(turns):
            begun.append(turn := journal.begin(number=number))
            turn.begin(PLAIN, None, None)
            turn.record_event(LINE * LINES)
            turn.record_source_end()
            await journal.flush()
            if len(begun) > AT_ONCE:
                begun.popleft().end()
            if number % 20 == 0:
                sizes = [one.stat().st_size for one in folder.glob("size.db*")]  # noqa: ASYNC240
                largest = max(largest, sum(sizes))
        for turn in begun:
            turn.end()
    return largest


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"with and without so often ({PAIRS})")
    parser.add_argument("--turns", type=int, default=10_000, help="turns after which the file is measured")
    arguments = parser.parse_args()
    twin = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", TWIN), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert twin.stdout is not None
    api, gateway, cdn, token, *ids = (await twin.stdout.readline()).decode().split()
    client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.1)
    with redirect_discord_py(api, gateway, cdn), tempfile.TemporaryDirectory() as name:
        running = asyncio.create_task(client.start(token))
        await asyncio.sleep(1)
        await client.wait_until_ready()
        found = [client.get_channel(int(one)) for one in ids]
        places = [one for one in found if isinstance(one, discord.TextChannel)]
        held = await measure(places, Path(name), arguments.pairs)
        size = await file_size(Path(name), arguments.turns)
        await client.close()
        await asyncio.gather(running, return_exceptions=True)
    print(f"The files over {arguments.turns} turns, at most: {size / 1024:.0f} KiB.")
    assert twin.stdin is not None
    twin.stdin.close()
    await twin.wait()
    return 0 if held and size < 16 * 1024 * 1024 else 1


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
