"""Plays questions with buttons that are pressed twice, by the wrong people, and in bots that are killed.

    python tools/decision_schedule.py 0-1999      these seeds; prints those that are wrong, then a table
    python tools/decision_schedule.py planted     bugs in copies of the source, and the seed that sees each

One seed is one question (`tests/schedules/decisions.py`). The exit status says whether anything was wrong, or a
planted bug was missed.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

import planting  # noqa: E402

LIBRARY = ROOT / "packages" / "streamcord" / "src"
BOT = ROOT / "packages" / "streamcord-bot" / "src"
SHOWN = 10
PLANTED_SEEDS = "0-399"
TRIAL_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Plant:
    """A bug: what is written instead of what, and a word of what the judge must say."""

    name: str
    place: str
    old: str
    new: str
    expected: str


PLANTS = (
    Plant(
        "a second press decides again",
        "streamcord._store.ask_repository:_DECIDE",
        "WHERE id = $1 AND state = 'open' AND expires_at > $4",
        "WHERE id = $1 AND expires_at > $4",
        "decided twice",
    ),
    Plant(
        "who presses is not checked",
        "streamcord._events.ask:Ask.is_for",
        "return user in self.who or not set(self.roles).isdisjoint(roles)",
        "return True",
        "wrong person",
    ),
    Plant(
        "a decision is acted on twice",
        "streamcord._store.ask_repository:_ACT",
        "WHERE id = $1 AND state = 'taken' AND turn = $2",
        "WHERE id = $1",
        "effects",
    ),
    Plant(
        "a call that was begun is made again after a kill",
        "streamcord_bot.answering.tool_asks:AnswerAsks.begin",
        "pending.is_over = not may_act",
        "pending.is_over = False",
        "effects",
    ),
    Plant(
        "a refusal is taken for a permission",
        "streamcord_bot.answering.tool_approvals:Approver._approve",
        'if decision.value in {"once", "here"}:',
        "if decision.value:",
        "nobody allowed",
    ),
    Plant(
        "decisions of an earlier process are forgotten",
        "streamcord_bot.recovery.resume_asks:AskResumer._recover",
        "            await self.dispatch(row)\n",
        "            pass\n",
        "stuck",
    ),
    Plant(
        "nothing is written before a call is made",
        "streamcord_bot.answering.answer_source:AnswerSource._go_on",
        "            await journal.flush()\n",
        "            pass\n",
        "never",
    ),
    Plant(
        "a question that was shown is not recognized after a kill",
        "streamcord._journal.reconcile:_count_with_question",
        "if not count:",
        "if count or not count:",
        "sent twice",
    ),
    Plant(
        "choices that a model writes are shown, too",
        "streamcord._providers.text_choices:TextChoices._stream",
        "shown = parser.feed(event.text)",
        "shown = parser.feed(event.text) or event.text",
        "markup",
    ),
    Plant(
        "the audit log is written whoever was first",
        "streamcord._store.ask_repository:_RECORD",
        "WHERE id = $7 AND state = 'open' AND expires_at > $6",
        "WHERE id = $7",
        "audit log",
    ),
)


def play_all(first: int, last: int) -> int:
    """Play these seeds and print what is wrong; return how many are."""
    from schedules.decisions import play

    logging.disable(logging.CRITICAL)
    kinds: Counter[str] = Counter()
    presses: Counter[str] = Counter()
    kills = wrong = 0
    for seed in range(first, last + 1):
        outcome = play(seed)
        kinds[outcome.kind] += 1
        presses.update(outcome.presses)
        kills += outcome.kills
        if outcome.wrong:
            wrong += 1
            print(f"seed {seed} ({outcome.kind}): {outcome.wrong}", flush=True)
            if wrong >= SHOWN:
                break
    print(f"{sum(kinds.values())} schedules, {kills} kills, {wrong} wrong")
    print("questions:", ", ".join(f"{count} {name}" for name, count in sorted(kinds.items())))
    print("actions:", ", ".join(f"{count} {name}" for name, count in sorted(presses.items())))
    return wrong


def try_plant(bug: Plant) -> str:
    """Plant a bug into a copy of the source and play seeds until one is wrong; return what was said."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        for package in (LIBRARY / "streamcord", BOT / "streamcord_bot"):
            shutil.copytree(package, source / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        module = bug.place.partition(":")[0]
        path = source.joinpath(*module.split(".")).with_suffix(".py")
        text = path.read_text(encoding="utf-8")
        path.write_text(_changed(text, bug), encoding="utf-8")
        command = [sys.executable, __file__, PLANTED_SEEDS, "first"]
        environment = {**os.environ, "PYTHONPATH": folder}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TRIAL_TIMEOUT_S, check=False
        )
        return done.stdout.splitlines()[0] if done.returncode else ""


def _changed(text: str, bug: Plant) -> str:
    if "_store.ask_repository:_" in bug.place:
        # Inside a string of SQL there are no tokens to compare.
        if text.count(bug.old) != 1:
            raise planting.CannotPlant(f"the code occurs {text.count(bug.old)} times in {bug.place}")
        return text.replace(bug.old, bug.new)
    return planting.change(text, bug.place, bug.old, bug.new)


def plant_all() -> int:
    """Try all bugs and print a table; return how many were missed."""
    missed = 0
    print("| bug | what the judge said |\n|---|---|")
    for bug in PLANTS:
        said = try_plant(bug)
        is_seen = bool(said) and bug.expected in said
        missed += not is_seen
        print(f"| {bug.name} | {said if is_seen else f'MISSED: {said}'} |", flush=True)
    return missed


def main() -> int:
    if sys.argv[1] == "planted":
        return bool(plant_all())
    first, _, last = sys.argv[1].partition("-")
    global SHOWN
    SHOWN = 1 if sys.argv[2:] == ["first"] else SHOWN
    return bool(play_all(int(first), int(last or first)))


if __name__ == "__main__":
    sys.exit(main())
