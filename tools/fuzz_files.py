"""Feeds ten thousand hostile cards and pictures to the bot's reader: what each costs, and what the loop notices.

    python tools/fuzz_files.py                   10 000 files (some ten minutes)
    python tools/fuzz_files.py 500 --seed 7      fewer, and others

The loop is watched in the run itself, and after every hundred files for as long without them. The exit status says whether a bar was
missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from security.fuzzing import Costs, LoopWatch, fuzz  # noqa: E402
from security.hostile_cards import HEAVY, heavy_file, hostile_file  # noqa: E402
from streamcord._bot.intake.file_reader import FileReader  # noqa: E402
from streamcord._bot.intake.reader_process import MEMORY_CAP  # noqa: E402

LAG = 0.05
"""Seconds that the loop may be later than without the files."""
FILE_SECONDS = 2.0
BATCH = 100


def main() -> int:
    """Run it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return asyncio.run(_run(arguments.count, arguments.seed))


async def _run(count: int, seed: int) -> int:
    quiet, watch, costs = LoopWatch(), LoopWatch(), Costs()
    file_reader, start = FileReader(), time.perf_counter()
    for batch in _batches(count, Random(seed)):
        # Files are made while nobody watches: that is work of ours, not of the bot.
        begun = time.perf_counter()
        async with watch:
            await fuzz(file_reader, batch, costs)
        async with quiet:
            await asyncio.sleep(time.perf_counter() - begun)
    await file_reader.close()
    return _report(costs, quiet, watch, time.perf_counter() - start)


def _batches(count: int, random: Random) -> Iterator[list[tuple[str, bytes]]]:
    """Hostile files, every hundredth one of those that cost the most."""
    heavy = cycle(HEAVY)
    for start in range(0, count, BATCH):
        files = [hostile_file(random) for _ in range(min(BATCH, count - start))]
        files[-1] = heavy_file(next(heavy))
        yield files


def _report(costs: Costs, quiet: LoopWatch, watch: LoopWatch, seconds: float) -> int:
    rows = [
        ("memory of the process, at most", f"{costs.memory / 2**20:.0f} MiB", costs.memory <= MEMORY_CAP),
        ("processor time of one file, at most", f"{costs.seconds:.2f} s", costs.seconds <= FILE_SECONDS),
        *_compare("the loop worked without a break, at most", quiet.busy, watch.busy),
        *_compare("the loop was late, 999 of 1000 times less than", _rare(quiet.late), _rare(watch.late)),
    ]
    print(f"{costs.ends.total()} files in {seconds:.0f} s: ", end="")
    print(", ".join(f"{number} {end}" for end, number in costs.ends.most_common()) + "\n")
    print("| what | measured | within its bar |\n|---|--:|---|")
    for what, measured, kept in rows:
        print(f"| {what} | {measured} | {'yes' if kept else 'NO'} |")
    print(f"\nThe costliest: {costs.worst[0]}, {costs.worst[1]} bytes.")
    return int(not all(kept for _, _, kept in rows))


def _rare(late: list[float]) -> list[float]:
    return sorted(late)[: max(1, len(late) * 999 // 1000)]


def _compare(what: str, without: list[float], measured: list[float]) -> list[tuple[str, str, bool]]:
    before, after = max(without), max(measured)
    return [(what, f"{after * 1000:.0f} ms (without: {before * 1000:.0f} ms)", after <= before + LAG)]


if __name__ == "__main__":
    raise SystemExit(main())
