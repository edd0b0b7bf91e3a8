"""Let the bot answer without pause, with restarts, and print what it holds: memory, tasks, descriptors.

    python tools/soak.py --minutes 30

Every round asks one question of each of the thirteen kinds of the fault matrix. The bot is killed after a quarter of
the time and restarted in order after half of it; what it holds is compared within each of the three lives.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from crashes.fault_matrix import Matrix, on_matrix
from crashes.matrix import judge, squeeze

PORT_LINE = "\n[log]\nmetrics_port = {port}\n"
GROWTH = 1.15
"""What the last quarter of a life may hold, compared with the second quarter."""


@dataclass
class Sample:
    """What the process holds at one moment."""

    rss_mb: float
    descriptors: int
    tasks: float


async def sample(made: Matrix, port: int) -> Sample:
    """Read what the bot's process holds."""
    assert made.process is not None
    proc = Path(f"/proc/{made.process.pid}")
    pages = int((proc / "statm").read_text().split()[1])
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/metrics") as got:
        lines = (await got.text()).splitlines()
    tasks = next(float(line.split()[1]) for line in lines if line.startswith("streamcord_tasks "))
    return Sample(pages * 4096 / 1e6, len([*(proc / "fd").iterdir()]), tasks)


async def soak(minutes: float, port: int) -> bool:
    """Ask without pause for so long; returns whether everything stayed flat and complete."""
    lives: list[list[Sample]] = [[]]
    wrong, answers = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        async with on_matrix(Path(folder), more=PORT_LINE.format(port=port)) as (made, whole):
            began = time.perf_counter()
            restarts = [(0.25, signal.SIGKILL), (0.5, signal.SIGTERM)]
            while (passed := (time.perf_counter() - began) / (minutes * 60)) < 1:
                asked = {kind: made.ask(kind, place) for kind, place in made.places.items()}
                if restarts and passed >= restarts[0][0]:
                    await asyncio.sleep(1.0)
                    await made.kill(restarts.pop(0)[1])
                    await made.start()
                    lives.append([])
                waits = (
                    made.said(made.places[kind], asked[kind], len(squeeze(whole[kind])), 60.0)
                    for kind in asked
                )
                for kind, texts in zip(asked, await asyncio.gather(*waits), strict=True):
                    answers += 1
                    verdict = judge(texts, whole[kind])
                    if verdict != "complete" and made.was_heard(asked[kind]):
                        wrong += 1
                        print(f"{kind}: {verdict} {texts}", flush=True)
                made.forget_log()
                lives[-1].append(await sample(made, port))
                print(f"{passed:.0%} {answers} answers, {lives[-1][-1]}", flush=True)
    # All of them, so that each is printed.
    results = [_is_flat(number, life) for number, life in enumerate(lives, 1)]
    flat = all(results)
    print(f"{answers} answers, {wrong} not complete; {'flat' if flat else 'NOT FLAT'}")
    return flat and not wrong


def _is_flat(number: int, life: list[Sample]) -> bool:
    if len(life) < 8:
        return True
    quarter = len(life) // 4
    early, late = life[quarter : 2 * quarter], life[-quarter:]
    flat = True
    for name in ("rss_mb", "descriptors", "tasks"):
        before, after = (sum(getattr(one, name) for one in part) / quarter for part in (early, late))
        print(f"life {number}: {name} {before:.1f} in the second quarter, {after:.1f} in the last")
        flat = flat and after <= before * GROWTH + 2
    return flat


def main() -> int:
    """Soak for as long as was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--port", type=int, default=19_107)
    given = parser.parse_args()
    return int(not asyncio.run(soak(given.minutes, given.port)))


if __name__ == "__main__":
    sys.exit(main())
