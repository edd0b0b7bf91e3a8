"""Let things happen to the bot, again and again, and print what became of its answers: `tools/kill_bot.py`.

The bot runs in a process of its own; twin and model outlive it. Each round hits one answer in every channel.
Rounds are numbered and seeded by their number, and what came out of each is kept in a file, so that a long
run may be made in slices: what is in the file is not run again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from crashes import faults  # noqa: E402
from crashes.matrix import COMMAND, Act, Trial, run_trials  # noqa: E402
from crashes.scenes import SCENES  # noqa: E402

VERDICTS = ("complete", "marked", "cut", "doubled", "other")
SOME = ("messages", "sentences", "persona", "sprites", "live", "ask")


@dataclass(frozen=True)
class Kind:
    """One thing that may happen, how often it does in a whole run, and what is asked."""

    act: Act
    rounds: int
    names: tuple[str, ...] = (*SCENES, *(f"{name}#2" for name in SCENES))
    late: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def _late(*names: str) -> tuple[str, ...]:
    """Asked while no process listens; Discord itself refuses a command at once then."""
    return tuple(f"{name}#late" for name in names if name != COMMAND)


def _twice(*names: str) -> tuple[str, ...]:
    return (*names, *(f"{name}#2" for name in names))


KINDS: dict[str, Kind] = {
    "SIGKILL": Kind(faults.kill(), 24),
    "SIGKILL, a model that is asked to go on": Kind(faults.kill(), 4, options={"provider": "custom"}),
    "SIGKILL twice, the second time while it goes on": Kind(faults.kill(times=2), 8),
    "SIGKILL again and again while it starts": Kind(faults.kill_while_it_starts, 2),
    "SIGKILL of personas in their first moments, webhooks gone": Kind(
        faults.kill_without_webhooks, 4, _twice("persona", "sprites", "vera"), options={"longest": 0.5}
    ),
    "SIGKILL, with buttons": Kind(faults.kill(), 4, options={"buttons": True}),
    "SIGKILL twice, with buttons": Kind(faults.kill(times=2), 2, options={"buttons": True}),
    "SIGKILL, personas whose messages carry a name": Kind(
        faults.kill(), 4, _twice("persona", "sprites", "vera"), options={"identity": "component"}
    ),
    "SIGKILL while the network is cut, personas whose messages carry a name": Kind(
        faults.kill_in_the_dark, 4, _twice("persona", "sprites", "vera"), options={"identity": "component"}
    ),
    "SIGKILL while the network is cut": Kind(faults.kill_in_the_dark, 4),
    "SIGKILL while the database is locked": Kind(faults.kill_with_a_locked_database, 2),
    "SIGKILL while the disk is full": Kind(faults.kill_with_a_full_disk, 2),
    "SIGKILL while nothing can be written": Kind(faults.kill_where_nothing_is_written, 2),
    "SIGKILL while the folder is read-only": Kind(faults.kill_in_a_read_only_folder, 2),
    "SIGTERM": Kind(faults.kill(signal.SIGTERM), 10, late=_late("messages")),
}
CLIENTS: dict[str, dict[str, Any]] = {
    "": {},
    ", two shards": {"shards": 2},
    # Left to itself it may wait for two minutes before it tries to connect again.
    ", a plain client": {"plain": True, "patience": 240.0},
}
"""discord.py's client of many connections with one and with two of them, and its client of one."""
for _what, _act in {
    "SIGSTOP for 20 s": faults.stop_for(20),
    "SIGSTOP for 75 s": faults.stop_for(75),
    "Discord is away for 5 s": faults.outage(5),
    "Discord is away for 30 s": faults.outage(30),
    "Discord is away for 60 s": faults.outage(60),
    "Discord is restarted": faults.restart(forgets=False),
    "Discord is restarted and has forgotten all sessions": faults.restart(forgets=True),
}.items():
    for _client, _options in CLIENTS.items():
        KINDS[_what + _client] = Kind(_act, 2, SOME, _late(*SOME), _options)


def table(trials: dict[str, list[Trial]]) -> str:
    """Rows of Markdown: how many answers ended how."""
    head = f"| what | answers | {' | '.join(VERDICTS)} | left |\n|---|--:|{'--:|' * len(VERDICTS)}--:|\n"
    rows = []
    for name, found in trials.items():
        counts = Counter(trial.verdict for trial in found)
        cells = " | ".join(str(counts[verdict]) for verdict in VERDICTS)
        rows.append(f"| {name} | {len(found)} | {cells} | {sum(bool(one.left) for one in found)} |")
    return head + "\n".join(rows) + "\n"


def load(file: Path) -> dict[str, list[Trial]]:
    """What earlier slices found, by kind."""
    found: dict[str, list[Trial]] = defaultdict(list)
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            body = json.loads(line)
            found[body.pop("kind")].append(Trial(**body))
    return {name: found[name] for name in KINDS if name in found}


def keep(file: Path, name: str, trials: list[Trial]) -> None:
    """Write down what came out; of what is as it should be, not the words."""
    with file.open("a", encoding="utf-8") as out:
        for trial in trials:
            texts = trial.texts if trial.verdict != "complete" else []
            out.write(json.dumps({"kind": name, **asdict(trial), "texts": texts}) + "\n")


async def run(name: str, rounds: list[int], seed: int, file: Path, until: float) -> None:
    """Rounds of one kind, each kept as soon as it is over."""
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as folder:
        disk = Path(folder) / "disk"
        mounted = kind.act is faults.kill_with_a_full_disk
        if mounted and not faults.mount_small_disk(disk):
            print(f"{name}: not run, since this user may not mount a small disk")
            return
        disk.mkdir(exist_ok=True)
        if kind.act is faults.kill_in_a_read_only_folder and not faults.set_read_only(disk):
            print(f"{name}: not run, since this user may not make a folder read-only")
            return
        faults.set_read_only(disk, on=False)
        options = {"late": kind.late, **kind.options}
        running = run_trials(Path(folder), kind.names, rounds, seed, kind.act, **options)
        try:
            # The bot has ended before its disk is taken away.
            async with aclosing(running):
                async for trials in running:
                    keep(file, name, trials)
                    if time.monotonic() > until:
                        break
        finally:
            if mounted:
                faults.unmount(disk)


def report(file: Path) -> int:
    """Print everything that is in the file.

    Returns:
        1 if anything was doubled, out of order or cut without a mark, or if a stop button, a progress line or typing
        was left.

    """
    found = load(file)
    scenes: defaultdict[str, list[Trial]] = defaultdict(list)
    for trials in found.values():
        for trial in trials:
            scenes[trial.scene].append(trial)
    kills = sum(len({trial.number for trial in trials}) for trials in found.values())
    print(f"\n{kills} rounds\n\n" + table(found) + "\n" + table(dict(scenes)))
    bad = [
        (name, one)
        for name, trials in found.items()
        for one in trials
        if one.verdict in VERDICTS[2:] or one.left
    ]
    for name, trial in bad[:20]:
        print(name, trial)
    return 1 if bad else 0


def main() -> int:
    """Run what is missing, for this many seconds, then print all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="kinds whose name begins with this")
    parser.add_argument("--start", type=int, default=0, help="the first round (default 0)")
    parser.add_argument("--count", type=int, default=0, help="rounds of each kind (default: a whole run)")
    parser.add_argument("--seconds", type=float, default=7200.0, help="begin nothing new after so long")
    parser.add_argument("--file", type=Path, default=Path("crashes.jsonl"), help="what was found so far")
    parser.add_argument("--seed", type=int, default=14)
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.seconds
    for name, kind in KINDS.items():
        done = {trial.number for trial in load(arguments.file).get(name, ())}
        last = arguments.start + (arguments.count or kind.rounds)
        rounds = [number for number in range(arguments.start, last) if number not in done]
        if name.startswith(arguments.only) and rounds and time.monotonic() < until:
            asyncio.run(run(name, rounds, arguments.seed, arguments.file, until))
            print(table({name: load(arguments.file)[name]}).splitlines()[-1], flush=True)
    return report(arguments.file)


if __name__ == "__main__":
    raise SystemExit(main())
