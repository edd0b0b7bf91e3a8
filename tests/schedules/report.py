"""Playing many seeds, and saying what was wrong and what was seen."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from discord_twin import FaultKind

from .judge import judge
from .schedule import SWITCHES, draw
from .stage import Run, new_loop, on_stage

__all__ = ["NAMES", "Report", "play", "table"]

TOGETHER = 25
"""Schedules that are played on one stage."""

NAMES = (*(kind.name for kind in FaultKind), *SWITCHES)
"""Every fault and every switch that must have been seen."""


@dataclass(slots=True)
class Report:
    """What many runs came to."""

    played: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    red: list[str] = field(default_factory=list)
    requests: int = 0
    characters: int = 0


def play(seeds: Sequence[int], most_red: int = 20, *, live: bool = False) -> Report:
    """Play these seeds, until too many are red; a few share a twin and a client, as turns of a bot do."""
    report = Report()
    for at in range(0, len(seeds), TOGETHER):
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_play_together(seeds[at : at + TOGETHER], report, live=live))
        if len(report.red) >= most_red:
            break
    return report


async def _play_together(seeds: Sequence[int], report: Report, *, live: bool = False) -> None:
    async with on_stage(live=live) as stage:
        for seed in seeds:
            try:
                run = await stage.play(seed)
            except Exception as error:
                # What raises may have left anything behind: the rest of these is not played.
                report.red.append(f"{draw(seed)}\n    raised {error!r}\n    {_replay(seed, seeds[0])}")
                return
            note(report, run, seeds[0])


def note(report: Report, run: Run, first: int) -> None:
    """Add a run to the report; `first` is the seed that its stage began with."""
    report.played += 1
    report.fired += run.fired
    report.requests += len(run.records)
    report.characters += len(run.schedule.text)
    if wrong := judge(run):
        heard = "\n".join(f"    {line}" for line in wrong)
        report.red.append(f"{run.schedule}\n{heard}\n    {_replay(run.schedule.seed, first)}")


def _replay(seed: int, first: int) -> str:
    alone = f"replay: python tools/fault_schedule.py {seed}"
    return alone if seed == first else f"{alone} (or {first}-{seed}, if it is green alone)"


def table(fired: Counter[str]) -> list[str]:
    """How often each fault and switch was seen, three to a line."""
    cells = [f"{name:30} {fired[name]:>6}" for name in NAMES]
    return ["   ".join(cells[at : at + 3]) for at in range(0, len(cells), 3)]
