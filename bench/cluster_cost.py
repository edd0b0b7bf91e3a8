"""What a cluster address costs one process: processor time per answer, and statements that PostgreSQL runs.

The bot runs in a process of its own on a twin and a PostgreSQL, without rate limits; the same answers with
and without `[cluster]`, in turns, each time in unused channels. Bars: at most 15 % more
processor time; at most 12 statements per answer and one more for each second of streaming, all counted.
STATEMENTS=1 lists them.

    python bench/cluster_cost.py [--answers 60] [--rounds 3]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from cluster.breakable import TEXTS, BotProcess
from cluster.chaos import Chaos, chaos
from discord_twin import Channel

CHANNELS, LINES, PACE = 6, 8, 0.05
BETWEEN = 0.3
"""Seconds between an answer and the next question, so that no question interrupts another."""


def cpu_of(bot: BotProcess) -> float:
    """Processor seconds of a process so far."""
    assert bot.process is not None
    fields = Path(f"/proc/{bot.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(
    made: Chaos, bot: BotProcess, channels: list[Channel], answers: int
) -> tuple[float, float, float, list[float]]:
    """Processor time, statements and seconds per answer, and the waits for each first message."""
    await bot.start()
    await bot.until("ready:", 60)
    for channel in channels:
        await made.ask(channel, f"warm{bot.name}{channel.id % 1000}")
    await asyncio.sleep(2.0)
    made.waits.clear()
    logged, counted = len(bot.log), bot.line.statements
    TEXTS.clear()
    used = cpu_of(bot)

    async def ask(channel: object, number: int) -> None:
        for count in range(answers // CHANNELS):
            await made.ask(channel, f"{bot.name}n{number}x{count}")  # type: ignore[arg-type]
            await asyncio.sleep(BETWEEN)

    await asyncio.gather(*(ask(channel, number) for number, channel in enumerate(channels)))
    per = (cpu_of(bot) - used) / answers, (bot.line.statements - counted) / answers
    if os.environ.get("STATEMENTS"):
        for sql, count in TEXTS.most_common(30):
            print(f"{count / answers:6.2f}  {sql[:100]}")
    firsts = [
        float(line.rsplit("after ", 1)[1].split(" ")[0]) for line in bot.log[logged:] if "first after" in line
    ]
    await bot.end(15)
    return *per, statistics.mean(made.waits), firsts


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    rows: dict[str, list[tuple[float, float, float, list[float]]]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as folder:
        async with chaos(
            Path(folder),
            bots=2,
            guilds=1,
            channels=CHANNELS * 2 * given.rounds,
            shards=1,
            lease=10.0,
            lines=LINES,
            pace=PACE,
        ) as made:
            alone, member = made.bots
            text = alone.file.read_text(encoding="utf-8").replace('url = "store"', 'url = ""')
            alone.file.write_text(text, encoding="utf-8")
            fresh = iter(made.channels)
            for _ in range(given.rounds):
                for name, bot in (("without", alone), ("with", member)):
                    channels = list(islice(fresh, CHANNELS))
                    rows[name].append(await measure(made, bot, channels, given.answers))
    print("| cluster | processor time per answer | statements | seconds per answer | first message, p50 |")
    print("|---|--:|--:|--:|--:|")
    found = {}
    for name, runs in rows.items():
        cpu, count, seconds = (statistics.median(run[place] for run in runs) for place in range(3))
        first = statistics.median(one for run in runs for one in run[3])
        found[name] = cpu, count, seconds
        print(f"| {name} | {cpu * 1000:.1f} ms | {count:.1f} | {seconds:.2f} s | {first * 1000:.0f} ms |")
    pairs = zip(rows["without"], rows["with"], strict=True)
    more = statistics.median(one[0] / before[0] for before, one in pairs) - 1
    _, statements, seconds = found["with"]
    print(f"\n{more:+.1%} processor time; {statements:.1f} statements, at most {12 + seconds:.1f}")
    return int(more > 0.15 or statements > 12 + seconds)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
