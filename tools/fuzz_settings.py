"""Tries settings that hurt on texts that hurt, and prints the longest time for which the event loop would stand still.

    python tools/fuzz_settings.py                       2 000 cases, some ten minutes
    python tools/fuzz_settings.py 100 --start 7000      100 cases from seed 7000 on
    python tools/fuzz_settings.py 500 --start 500 --keep build/standstill.json    a slice; the table is of all so far

Time is processor time of the thread, so that a busy machine makes nothing longer; a step that was too long is
tried again, since caches that others empty do. A case that raises is a finding like one that is slow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from bot.stage import make_config
from security.hostile_settings import draw_case, find_settings, longest_step
from streamcord.store import Store, open_store

BAR = 0.1
TRIES = 3
PORTION = 100
"""Cases after which what was found is kept."""


@dataclass(slots=True)
class Found:
    """What came of the cases so far: steps in seconds, and a line for each case that is wrong."""

    steps: dict[str, float] = field(default_factory=dict)
    slow: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    seconds: float = 0.0


async def run(found: Found, seeds: range) -> None:
    """Try these cases, and print a line for each that is wrong."""
    logging.disable(logging.WARNING)
    store, started = await open_store(":memory:"), time.thread_time()
    for seed in seeds:
        try:
            found.steps[str(seed)] = step = await _longest_step(store, seed)
        except Exception as error:
            found.raised.append(_say(f"seed {seed}: {type(error).__name__}: {error}"))
            continue
        if step > BAR:
            found.slow.append(_say(f"seed {seed}: {step * 1000:.0f} ms, {draw_case(seed).text[-30:]!r}"))
    await store.close()
    found.seconds += time.thread_time() - started


async def _longest_step(store: Store, seed: int) -> float:
    case = draw_case(seed)
    settings = await find_settings(make_config(settings={"message_cap": 0}), store, case)
    step = longest_step(settings, case)
    for _ in range(TRIES - 1):
        step = min(step, longest_step(settings, case)) if step > BAR else step
    return step


def _say(line: str) -> str:
    print(line, flush=True)
    return line


def _table(found: Found) -> str:
    ordered = sorted(found.steps.values()) or [0.0]
    rows = {
        "cases (settings x texts of 20 000 characters)": f"{len(found.steps) + len(found.raised)}",
        "longest step, median": f"{ordered[len(ordered) // 2] * 1000:.1f} ms",
        "longest step, 99 of 100": f"{ordered[len(ordered) * 99 // 100] * 1000:.1f} ms",
        "longest step of all": f"{ordered[-1] * 1000:.1f} ms",
        f"over {BAR * 1000:.0f} ms": f"{len(found.slow)}",
        "raised": f"{len(found.raised)}",
        "processor time": f"{found.seconds:.0f} s",
    }
    return "\n".join(
        ["| what | measured |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )


def main() -> int:
    """Run it; the exit status says whether a case was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a file for what was found, to go on in slices")
    arguments = parser.parse_args()
    keep: Path | None = arguments.keep
    found = Found(**json.loads(keep.read_text())) if keep and keep.exists() else Found()
    end = arguments.start + arguments.count
    for start in range(arguments.start, end, PORTION):
        asyncio.run(run(found, range(start, min(start + PORTION, end))))
        if keep:
            keep.parent.mkdir(parents=True, exist_ok=True)
            keep.write_text(json.dumps(asdict(found)))
    print(_table(found))
    return int(bool(found.slow or found.raised))


if __name__ == "__main__":
    sys.exit(main())
