"""Bots of one cluster, and everything that may go wrong at random; prints a table of what became of the questions.

python tools/chaos.py                       3 bots, 60 channels, three minutes of questions
python tools/chaos.py --stops 100           100 times: stop a process in mid-answer, continue it after its lease
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from cluster.breakable import BotProcess
from cluster.chaos import Chaos, chaos

KINDS = ("SIGKILL", "SIGSTOP", "SIGTERM")
PERSONA = "alter = true"
JOIN_TIMEOUT_S = 180.0


async def storm(folder: Path, given: argparse.Namespace) -> bool:
    """Questions without pause, strikes at random; the database is restarted twice, one network is cut."""
    random = Random(given.seed)
    kinds = [random.choice(KINDS) for _ in range(given.strikes)]
    for kind in ("database", "database", "network"):
        kinds.insert(random.randrange(len(kinds) + 1), kind)
    async with chaos(folder, bots=3, guilds=12, channels=given.channels, shards=6, lease=given.lease) as made:
        made.patience = JOIN_TIMEOUT_S
        await made.start()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        async with kept_logs(made), made.asking():
            for kind in kinds:
                bot = random.choice(made.bots)
                await made.strike(kind, bot, given.stopped)
                print(f"{loop.time() - begun:6.1f} s  {kind:8} {bot.name}", flush=True)
                await asyncio.sleep(random.uniform(0.5, 2.0))
            await asyncio.sleep(max(0.0, begun + given.seconds - loop.time()))
        await made.takeovers.over()
        print(
            f"\n{given.channels} channels, {loop.time() - begun:.0f} s, seed {given.seed}: {dict(Counter(kinds))}"
        )
        return report(made)


async def stops(folder: Path, given: argparse.Namespace) -> bool:
    """Stop one process after the other in mid-answer, and look at what it sends after it continues."""
    random, sent, evicted, spoken = Random(given.seed), 0, 0, 0
    async with chaos(
        folder, bots=3, guilds=6, channels=given.channels, shards=3, lease=given.lease, persona=given.persona
    ) as made:
        await made.start()
        async with kept_logs(made), made.asking():
            for number in range(given.stops):
                await asyncio.sleep(random.uniform(0.3, 1.5))
                speaking = await made.takeovers.speaking()
                bot = random.choice([one for one in made.bots if speaking[one.member]] or made.bots)
                spoken += speaking[bot.member]
                late, lost = await stop_once(bot, given.lease * 2.5)
                sent, evicted = sent + late, evicted + lost
                if number % 10 == 9:
                    print(
                        f"{number + 1} stops in {spoken} answers: {evicted} evicted, {sent} requests begun after continuing",
                        flush=True,
                    )
        print(
            f"\n{given.stops} stops in {spoken} answers, {evicted} of them longer than the lease, "
            f"{sent} requests begun after continuing"
        )
        return report(made) and not sent


async def stop_once(bot: BotProcess, seconds: float) -> tuple[int, bool]:
    """Stop and continue one process; requests that it began between continuing and rejoining, if it had to."""
    before = len(bot.log)
    bot.send(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    woken = time.time()
    bot.send(signal.SIGCONT)
    try:
        await bot.until("evicted from the cluster", 8.0, since=before)
    except TimeoutError:
        return 0, False
    await bot.until("of a cluster:", JOIN_TIMEOUT_S, since=before)
    line_of_join = next(line for line in bot.log[before:] if "of a cluster:" in line)
    joined = datetime.strptime(line_of_join[:23], "%Y-%m-%d %H:%M:%S,%f").timestamp()
    # Commands are registered at every start.
    late = [one for one in bot.wire.writes if woken <= one[0] <= joined and b"/commands" not in one[1]]
    for at, line in late:
        print(
            f"{at - woken:.2f} s after continuing, {joined - at:.2f} s before joining: {line!r}", flush=True
        )
    await bot.until("ready:", JOIN_TIMEOUT_S, since=before)
    return len(late), True


@asynccontextmanager
async def kept_logs(made: Chaos) -> AsyncIterator[None]:
    """What the bots said is kept, however it ends."""
    try:
        yield
    finally:
        for bot in made.bots:
            log = Path(tempfile.gettempdir()) / f"chaos-{bot.name}.log"
            log.write_text("\n".join(bot.log), encoding="utf-8")


def report(made: Chaos) -> bool:
    """Print what became of everything; whether it is as it should be."""
    print("\n".join([*made.faults(), made.report()]), flush=True)
    return set(made.verdicts()) == {"complete"} and made.busiest_second() <= 50 and made.takeovers.p95() <= 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--strikes", type=int, default=9, help="besides the database and the network")
    parser.add_argument("--channels", type=int, default=60)
    parser.add_argument("--lease", type=float, default=10.0)
    parser.add_argument("--stopped", type=float, default=30.0, help="seconds of a SIGSTOP and of a cut")
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--persona", action="store_const", const=PERSONA, default="", help="speak by webhook")
    parser.add_argument("--seed", type=int, default=18)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = stops if given.stops else storm
        return 0 if asyncio.run(run(Path(folder), given)) else 1


if __name__ == "__main__":
    sys.exit(main())
