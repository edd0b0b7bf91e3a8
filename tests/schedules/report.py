"""Playing many seeds, and saying what was wrong and what was seen."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from streamcord.twin import FaultKind

from .judge import judge
from .schedule import SWITCHES, draw
from .stage import Run, new_loop, on_stage

__all__ = ["NAMES", "Report", "describe", "play", "table"]

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


def play(seeds: Iterable[int], most_red: int = 20) -> Report:
    """Play these seeds one after the other, until too many are red."""
    report = Report()

    async def all_of_them() -> None:
        async with on_stage() as stage:
            for seed in seeds:
                try:
                    note(report, await stage.play(seed))
                except Exception as error:
                    report.red.append(f"{draw(seed)}\n    raised {error!r}")
                    raise
                if len(report.red) >= most_red:
                    return

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(all_of_them())
    return report


def note(report: Report, run: Run) -> None:
    """Add a run to the report."""
    report.played += 1
    report.fired += run.fired
    report.requests += len(run.records)
    report.characters += len(run.schedule.text)
    if wrong := judge(run):
        report.red.append(describe(run, wrong))


def describe(run: Run, wrong: list[str]) -> str:
    """A red schedule, and how to play it alone."""
    heard = "\n".join(f"    {line}" for line in wrong)
    return f"{run.schedule}\n{heard}\n    replay: python tools/fault_schedule.py {run.schedule.seed}"


def table(fired: Counter[str]) -> list[str]:
    """How often each fault and switch was seen, three to a line."""
    cells = [f"{name.lower():30} {fired[name]:>6}" for name in NAMES]
    return ["   ".join(cells[at : at + 3]) for at in range(0, len(cells), 3)]
