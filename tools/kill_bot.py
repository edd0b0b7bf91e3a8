"""Kill the bot, again and again, and print what became of its answers: `make crashes`.

The bot runs in a process of its own; twin and model outlive it. Each kill hits one answer in every channel.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from crashes.matrix import Trial, run_kills  # noqa: E402
from crashes.scenes import SCENES  # noqa: E402

VERDICTS = ("complete", "marked", "cut", "doubled", "other")
RUNS: dict[str, dict[str, Any]] = {
    "SIGKILL": {},
    "SIGKILL, a model that is asked to go on": {"provider": "custom"},
    "SIGKILL twice, the second time while it goes on": {"twice": True},
    "SIGKILL, with buttons": {"buttons": True},
    "SIGTERM": {"signal_": signal.SIGTERM},
}
SHARES = (4, 1, 2, 1, 2)


def table(trials: dict[str, list[Trial]]) -> str:
    """Rows of Markdown: how many answers ended how, by run and by scene."""
    head = f"| what | answers | {' | '.join(VERDICTS)} |\n|---|--:|{'--:|' * len(VERDICTS)}\n"
    rows = []
    for name, found in trials.items():
        counts = Counter(trial.verdict for trial in found)
        cells = " | ".join(str(counts[verdict]) for verdict in VERDICTS)
        rows.append(f"| {name} | {len(found)} | {cells} |")
    return head + "\n".join(rows) + "\n"


async def run(kills: int, seed: int) -> dict[str, list[Trial]]:
    """All runs, with their share of the kills."""
    found: dict[str, list[Trial]] = {}
    rounds = -(-kills // len(SCENES))
    for (name, options), share in zip(RUNS.items(), SHARES, strict=True):
        count = max(1, rounds * share // sum(SHARES))
        with tempfile.TemporaryDirectory() as folder:
            found[name] = await run_kills(Path(folder), list(SCENES), count, seed + share, **options)
        print(table({name: found[name]}).splitlines()[-1], flush=True)
    return found


def main() -> int:
    """Run, print, and say whether anything was doubled, out of order, or cut without a mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="answers that are killed (default 1000)")
    parser.add_argument("--seed", type=int, default=14)
    arguments = parser.parse_args()
    found = asyncio.run(run(arguments.kills, arguments.seed))
    scenes: defaultdict[str, list[Trial]] = defaultdict(list)
    for trials in found.values():
        for trial in trials:
            scenes[trial.scene].append(trial)
    print("\n" + table(found) + "\n" + table(dict(scenes)))
    bad = [
        trial for trials in found.values() for trial in trials if trial.verdict not in {"complete", "marked"}
    ]
    for trial in bad[:20]:
        print(trial)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
