"""Play fault schedules by their seeds, and print what happened.

python tools/fault_schedule.py 417          one, with every request
python tools/fault_schedule.py 0-999        many, with a table of the faults that were triggered
python tools/fault_schedule.py 0-999 1 live     answers that grow, until one is red
"""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from schedules.judge import judge
from schedules.report import play, table
from schedules.stage import Run, new_loop, on_stage


def main(argument: str, max_failures: int = 20, *, live: bool = False) -> int:
    logging.disable(logging.CRITICAL)
    first, _, last = argument.partition("-")
    if not last:
        return play_one(int(first), live=live)
    report = play(range(int(first), int(last) + 1), max_failures, live=live)
    print("\n\n".join(report.red))
    print("\n".join(table(report.fired)))
    print(f"{report.played} schedules, {report.requests} requests, {len(report.red)} red")
    return bool(report.red)


def play_one(seed: int, *, live: bool = False) -> int:
    async def alone() -> Run:
        async with on_stage(live=live) as stage:
            return await stage.play(seed)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        run = runner.run(alone())
    print_run(run)
    wrong = judge(run)
    print("\n".join(wrong) or "nothing is wrong")
    return bool(wrong)


def print_run(run: Run) -> None:
    print(run.schedule, "\n")
    for text in run.plan:
        print(f"planned  {text!r}")
    start = run.records[0].at if run.records else 0.0
    for record in run.records:
        said = record.message.content if record.message else ""
        faults = " ".join(fault.name for fault in record.faults)
        print(
            f"{record.at - start:8.2f}  {record.status or '-':>3} {record.code or '':>6} {record.route:18} {faults} {said!r}"
        )
    for message in run.made:
        print(f"made     {message.id} {message.shown_name}: {message.content!r}")
    if run.result:
        print(f"result   {run.result.ending}, {len(run.result.receipts)} receipts, error {run.error!r}")
        for piece in run.result.dropped:
            print(f"dropped  {piece.reason}: {piece.text!r}")


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if one != "live"]
    if len(given) not in {1, 2}:
        sys.exit(__doc__)
    sys.exit(main(given[0], *map(int, given[1:]), live="live" in sys.argv))
