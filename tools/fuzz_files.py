"""Feeds ten thousand hostile cards and pictures to the bot's reader: what each costs, and what the loop notices.

    python tools/fuzz_files.py                           10 000 files (some twenty minutes)
    python tools/fuzz_files.py 500 --seed 7              fewer, and others
    python tools/fuzz_files.py 2500 --start 2500 --keep build/fuzz.json    a slice; the table is of all so far

The loop is watched in the run itself, and after every hundred files for as long without them. The exit status says whether a bar was
missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests")]

from security.fuzzing import Costs, LoopWatch, fuzz  # noqa: E402
from security.hostile_cards import HEAVY, heavy_file, hostile_file  # noqa: E402
from streamcord_bot.sandbox.client import SandboxClient  # noqa: E402
from streamcord_bot.sandbox.worker import MEMORY_CAP  # noqa: E402

LAG = 50
"""Milliseconds that the loop may be later than without the files."""
FILE_SECONDS = 2.0
BATCH = 100
PORTION = 2
"""Hundreds after which what was found is kept."""


@dataclass(slots=True)
class Loop:
    """How an event loop fared: the longest work without a break, and how often it was how late, in milliseconds."""

    busy: float = 0.0
    late: Counter[str] = field(default_factory=Counter)

    def add(self, watch: LoopWatch) -> None:
        """Add what a watch has seen."""
        self.busy = max([self.busy, *(one * 1000 for one in watch.busy)])
        self.late.update(f"{one * 1000:.1f}" for one in watch.late)

    def rarely_later(self) -> float:
        """999 of 1000 times it was less late than this."""
        left = self.late.total() // 1000
        for late in sorted(self.late, key=float, reverse=True):
            left -= self.late[late]
            if left < 0:
                return float(late)
        return 0.0


@dataclass(slots=True)
class Found:
    """What came of the files so far."""

    costs: Costs = field(default_factory=Costs)
    quiet: Loop = field(default_factory=Loop)
    loud: Loop = field(default_factory=Loop)
    seconds: float = 0.0


def main() -> int:
    """Run it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--start", type=int, default=0, help="the first file; a hundred belong together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a file for what was found, to go on in slices")
    arguments = parser.parse_args()
    keep: Path | None = arguments.keep
    found = _read(keep) if keep and keep.exists() else Found()
    first, end = arguments.start // BATCH, -(-(arguments.start + arguments.count) // BATCH)
    for start in range(first, end, PORTION):
        batches = range(start, min(start + PORTION, end))
        asyncio.run(_run(found, (_files(arguments.seed, batch) for batch in batches)))
        if keep:
            keep.parent.mkdir(parents=True, exist_ok=True)
            keep.write_text(json.dumps(found, default=_as_dict))
    return _report(found)


def _as_dict(one: object) -> dict[str, object]:
    return {name: getattr(one, name) for name in type(one).__slots__}  # type: ignore[attr-defined]


def _read(keep: Path) -> Found:
    kept = json.loads(keep.read_text())
    costs = kept["costs"]
    costs = Costs(Counter(costs["ends"]), costs["memory"], costs["seconds"], tuple(costs["worst"]))
    quiet, loud = (Loop(kept[name]["busy"], Counter(kept[name]["late"])) for name in ("quiet", "loud"))
    return Found(costs, quiet, loud, kept["seconds"])


async def _run(found: Found, batches: Iterable[list[tuple[str, bytes]]]) -> None:
    file_reader, start = SandboxClient(), time.perf_counter()
    for batch in batches:
        # Files are made while the bot is not watched: that is work of ours, not of the bot.
        loud, quiet, begun = LoopWatch(), LoopWatch(), time.perf_counter()
        async with loud:
            await fuzz(file_reader, batch, found.costs)
        async with quiet:
            await asyncio.sleep(time.perf_counter() - begun)
        found.loud.add(loud)
        found.quiet.add(quiet)
    await file_reader.close()
    found.seconds += time.perf_counter() - start


def _files(seed: int, batch: int) -> list[tuple[str, bytes]]:
    """A hundred hostile files, the last one of those that cost the most."""
    random, heavy = Random(f"{seed} {batch}"), list(HEAVY)[batch % len(HEAVY)]
    return [*(hostile_file(random) for _ in range(BATCH - 1)), heavy_file(heavy)]


def _report(found: Found) -> int:
    costs, quiet, loud = found.costs, found.quiet, found.loud
    rows = [
        ("memory of the process, at most", f"{costs.memory / 2**20:.0f} MiB", costs.memory <= MEMORY_CAP),
        ("processor time of one file, at most", f"{costs.seconds:.2f} s", costs.seconds <= FILE_SECONDS),
        _compare("the loop worked without a break, at most", quiet.busy, loud.busy),
        _compare("the loop was late, 999 of 1000 times less than", quiet.rarely_later(), loud.rarely_later()),
    ]
    print(f"{costs.ends.total()} files in {found.seconds:.0f} s: ", end="")
    print(", ".join(f"{number} {end}" for end, number in costs.ends.most_common()) + "\n")
    print("| what | measured | within its bar |\n|---|--:|---|")
    for what, measured, kept in rows:
        print(f"| {what} | {measured} | {'yes' if kept else 'NO'} |")
    print(f"\nThe costliest: {costs.worst[0]}, {costs.worst[1]} bytes.")
    return int(not all(kept for _, _, kept in rows))


def _compare(what: str, without: float, measured: float) -> tuple[str, str, bool]:
    return what, f"{measured:.0f} ms (without: {without:.0f} ms)", measured <= without + LAG


if __name__ == "__main__":
    raise SystemExit(main())
