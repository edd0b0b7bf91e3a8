"""Plays random schedules of follow-ups on the real bot and a twin, and plants bugs that they must find.

    python tools/follow_up_schedule.py 0-1999          these seeds, 30 at a time; prints those that are wrong
    python tools/follow_up_schedule.py planted         plant each bug in a copy of the bot and play until it is found

Messages of two people, rounds of tools, edits, deletions, stops and two kills for each group; the modes take turns.
The last table is in `bench/reports/follow-ups.md`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from planting import change

ROOT = Path(__file__).resolve().parent.parent
BOT = ROOT / "packages" / "streamcord-bot" / "src" / "streamcord_bot"
GROUP = 30
"""Schedules that one bot plays at a time."""
PLANTED_SEEDS = "0-119"
TRIAL_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Plant:
    """A bug: what is written instead of what."""

    name: str
    place: str
    old: str
    new: str


PLANTS = (
    Plant(
        "a follow-up that an answer has taken over keeps waiting",
        "listening.channel_queue:ChannelQueue.hand_over",
        "        self.waiting.remove(waiting)\n",
        "",
    ),
    Plant(
        "a stopped answer keeps what it has taken over",
        "listening.channel_queue:ChannelQueue._restart",
        "messages = [*messages, *(one for one in before.steered if one.author == before.owner)]",
        "pass",
    ),
    Plant(
        "what was taken over is not recorded",
        "answering.answer_journal:record_steered",
        "    turn.mark(STEERED, 0, ids=[one.id for one in messages], **more)\n",
        "    pass\n",
    ),
    Plant(
        "a row of a taken over follow-up is asked again",
        "recovery.resume_answers:AnswerResumer.scan",
        "if is_superseded(turn, answers):",
        "if False:",
    ),
    Plant(
        "rows are resumed in the order in which they were written",
        "recovery.resume_answers:AnswerResumer.scan",
        "for turn in sorted(found, key=place_in_line):",
        "for turn in found:",
    ),
    Plant(
        "follow-ups wait without a row",
        "answering.answer_journal:AnswerJournal.record_follow_up",
        'question.waiting_turn = self._begin_waiting({**self.describe(question), "waits": True})',
        "pass",
    ),
    Plant(
        "a follow-up overtakes an earlier one",
        "listening.channel_queue:ChannelQueue.put",
        "self.waiting.insert(0 if first else self._find_place(question), question)",
        "self.waiting.insert(0, question)",
    ),
    Plant(
        "a reaction of a dead process stays",
        "recovery.resume_answers:AnswerResumer._remove_reactions",
        "for message, emoji in shown_reactions(turn):",
        "for message, emoji in []:",
    ),
)


def main() -> int:
    sys.path.insert(0, str(ROOT / "tests"))
    if sys.argv[1] == "planted":
        return _try_plants()
    return _play(sys.argv[1], is_short="short" in sys.argv)


def _play(seeds: str, *, is_short: bool) -> int:
    """Play these seeds; a short run ends with the first group that is wrong."""
    from bot.follow_up_schedules import MODES, play

    first, _, last = seeds.partition("-")
    start, wrong, kinds = time.monotonic(), 0, Counter[str]()
    for at in range(int(first), int(last) + 1, GROUP):
        group = range(at, min(at + GROUP, int(last) + 1))
        with tempfile.TemporaryDirectory() as folder:
            faults = asyncio.run(play(group, Path(folder)))
        kinds.update(MODES[seed % len(MODES)] for seed in group)
        for fault in faults:
            print(fault, flush=True)
        wrong += len({fault.split()[1] for fault in faults})
        if wrong and is_short:
            break
    seconds = time.monotonic() - start
    print(f"{sum(kinds.values())} schedules ({dict(kinds)}), {wrong} wrong, {seconds:.0f} s")
    return bool(wrong)


def _try_plants() -> int:
    """Plant each bug in a copy of the bot; the clean copy must pass."""
    missed = 0
    for plant in (None, *PLANTS):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "streamcord_bot"
            shutil.copytree(BOT, copy)
            if plant is not None:
                path = copy.joinpath(*plant.place.partition(":")[0].split(".")).with_suffix(".py")
                text = path.read_text(encoding="utf-8")
                path.write_text(change(text, plant.place, plant.old, plant.new), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, __file__, PLANTED_SEEDS, "short"],
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
                text=True,
                timeout=TRIAL_TIMEOUT_S,
                check=False,
            )
        first = next((line for line in done.stdout.splitlines() if line.startswith("seed")), "nothing found")
        print(f"{plant.name if plant else 'no bug'}: {first[:160]}", flush=True)
        missed += bool(done.returncode) != (plant is not None)
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
