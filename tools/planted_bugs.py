"""Plants bugs into copies of the source, one at a time, and shows which invariant sees each of them.

    python tools/planted_bugs.py                 all bugs, two at a time (a few minutes)
    python tools/planted_bugs.py spoiler limit   those whose name contains a word

The bugs are in `bug_rows.py`. No golden case runs here: only the invariants, over seeded texts, in a process of its
own for each bug. The clean copy comes first and must pass all of it. The exit status says whether a bug was
missed, or can no longer be planted because the source has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import planting
from bug_rows import BUGS, Bug

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "packages/streamcord/src"
WITNESS = Path(__file__).with_name("invariant_runner.py")
TRIAL_TIMEOUT_S = 600
"""Seconds after which a process that examines one bug is ended."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the invariants said of one copy: the first fault under each invariant, and after how many texts."""

    texts: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    error: str = ""


def plant(bug: Bug, source: Path) -> str:
    """Put a bug into a copy of the source; return what is in the way, if something is."""
    try:
        planting.plant(source, bug.place, bug.old, bug.new)
    except planting.CannotPlant as error:
        return str(error)
    return ""


def examine(bug: Bug | None) -> Verdict:
    """The verdict on a copy with this bug, or on a clean one."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "src")
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        if bug and (error := plant(bug, copy)):
            return Verdict(error=error)
        paths = os.pathsep.join((str(copy), str(ROOT / "tests")))
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(WITNESS), str(copy), *([bug.invariant] if bug else [])]
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=TRIAL_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return Verdict(error=f"no verdict after {TRIAL_TIMEOUT_S} s")
    if run.returncode:
        return Verdict(error=run.stderr.strip().rsplit("\n", 1)[-1] or f"exit status {run.returncode}")
    return Verdict(**json.loads(run.stdout))


def describe(bug: Bug, verdict: Verdict) -> str:
    """One row of the table."""
    others = [invariant for invariant in verdict.faults if invariant != bug.invariant]
    if verdict.error:
        outcome = f"NOT TRIED: {verdict.error}"
    elif bug.invariant not in verdict.faults:
        outcome = (
            f"MISSED by {bug.invariant} in {verdict.texts} texts"
            + f", seen by {', '.join(others)}" * bool(others)
        )
    else:
        outcome = f"{verdict.texts:>5}  {bug.invariant}" + f" (also {', '.join(others)})" * bool(others)
    return f"{bug.name:<58} {outcome}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="only bugs whose name contains one of these")
    parser.add_argument("--faults", action="store_true", help="show what each invariant said")
    parser.add_argument("--dirty", action="store_true", help="do not examine the clean copy first")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if not options.words or any(word in bug.name for word in options.words)]
    start = time.monotonic()
    if not options.dirty:
        print("clean copy: all invariants over all texts ...", flush=True)
        clean = examine(None)
        if clean.error or clean.faults:
            print(f"the clean copy breaks invariants: {clean.error or clean.faults}")
            return 1
        print(f"clean copy: {clean.texts} texts, no violation, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{'':7} {'bug':<58} {'texts':>5}  invariant", flush=True)
    missed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, (bug, verdict) in enumerate(zip(bugs, pool.map(examine, bugs), strict=True), 1):
            print(f"{number:>3}/{len(bugs):<3} {describe(bug, verdict)}", flush=True)
            missed += bug.invariant not in verdict.faults
            for invariant, fault in verdict.faults.items() if options.faults else ():
                print(f"          {invariant}: {fault[:300]}", flush=True)
    print(f"{len(bugs)} bugs, {missed} missed, {time.monotonic() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
