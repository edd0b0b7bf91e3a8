"""Play the fault matrix: 13 kinds of answers and every fault, and print what became of them.

    python tools/fault_matrix.py                     all faults, seed 1
    python tools/fault_matrix.py --seeds 1-5 401     faults whose name contains 401, five seeds
    python tools/fault_matrix.py --list

Bot, local Discord and model run on this machine; a whole round takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from crashes.fault_matrix import FAULTS, KINDS, Cell, on_matrix

VERDICTS = ("complete", "told", "silent", "doubled", "hole")


async def play(names: list[str], seeds: range) -> list[Cell]:
    """Run these faults and return what became of every answer."""
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder:
        async with on_matrix(Path(folder)) as (made, whole):
            for name in names:
                for seed in seeds:
                    began = time.perf_counter()
                    found = await made.strike(FAULTS[name], whole, name, seed)
                    cells += found
                    counts = Counter(cell.verdict for cell in found)
                    shown = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
                    left = sum(cell.buttons for cell in found)
                    took = time.perf_counter() - began
                    print(f"{name} (seed {seed}): {shown}, {left} buttons, {took:.0f} s", flush=True)
                    for cell in found:
                        if not cell.is_good or cell.verdict == "told":
                            print(f"    {cell.kind}: {cell.verdict}, {cell.buttons} buttons, {cell.texts}")
                    lines = made.forget_log()
                    if not all(cell.verdict == "complete" and cell.is_good for cell in found):
                        print(
                            *(f"      {line}" for line in lines if "WARN" in line or "ERROR" in line),
                            sep="\n",
                        )
    return cells


def main() -> int:
    """Play what was asked for; the exit status says whether anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("faults", nargs="*", help="parts of names; without any, all faults")
    parser.add_argument("--seeds", default="1", help="one seed, or the first and last: 1-5")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    given = parser.parse_args()
    names = [one for one in FAULTS if not given.faults or any(part in one for part in given.faults)]
    if given.list:
        print("\n".join(names))
        return 0
    first, _, last = given.seeds.partition("-")
    cells = asyncio.run(play(names, range(int(first), int(last or first) + 1)))
    counts = Counter(cell.verdict for cell in cells)
    print(
        f"{len(names)} faults, {len(KINDS)} kinds, {len(cells)} answers:",
        *(f"{counts[one]} {one}" for one in VERDICTS),
    )
    print(f"stop buttons left: {sum(cell.buttons for cell in cells)}")
    return int(not all(cell.is_good for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
