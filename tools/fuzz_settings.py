"""Tries settings that hurt on texts that hurt, and prints the longest time for which the event loop would stand still.

python tools/fuzz_settings.py            2 000 cases, some ten minutes
python tools/fuzz_settings.py 100 7000   100 cases from seed 7000 on
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from bot.stage import make_config
from security.hostile_settings import HostileCase, draw_case, find_settings, longest_step
from streamcord.store import open_store

BAR = 0.1
TRIES = 3


async def run(count: int, first: int = 0) -> int:
    """Try so many cases; returns how many stood still for longer than the bar."""
    logging.disable(logging.WARNING)
    config, store = make_config(settings={"message_cap": 0}), await open_store(":memory:")
    started, steps, slow = time.thread_time(), list[float](), list[tuple[float, HostileCase]]()
    for seed in range(first, first + count):
        case = draw_case(seed)
        settings = await find_settings(config, store, case)
        step = longest_step(settings, case)
        for _ in range(TRIES - 1):
            step = min(step, longest_step(settings, case)) if step > BAR else step
        steps.append(step)
        if step > BAR:
            slow.append((step, case))
            print(f"seed {seed}: {step * 1000:.0f} ms, {case.text[-30:]!r}", flush=True)
    await store.close()
    print(_table(steps, len(slow), time.thread_time() - started))
    return len(slow)


def _table(steps: list[float], slow: int, seconds: float) -> str:
    ordered = sorted(steps)
    rows = {
        "cases (settings x texts of 20 000 characters)": f"{len(steps)}",
        "longest step, median": f"{ordered[len(ordered) // 2] * 1000:.1f} ms",
        "longest step, 99 of 100": f"{ordered[len(ordered) * 99 // 100] * 1000:.1f} ms",
        "longest step of all": f"{ordered[-1] * 1000:.1f} ms",
        f"over {BAR * 1000:.0f} ms": f"{slow}",
        "processor time": f"{seconds:.0f} s",
    }
    return "\n".join(
        ["| what | measured |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]]
    sys.exit(asyncio.run(run(*(numbers or [2000]))) > 0)
