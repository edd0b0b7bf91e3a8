"""`discord-twin drift -- pytest …`: run a test suite on the Discord of two days and print what changes.

Every twin that the command starts takes its day from an environment variable, so the command needs no change. Tests
of pytest are compared one by one, by the report that pytest writes; of other commands the exit status is compared.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from .dated_changes import CHANGES, parse_day
from .options import AS_OF_VARIABLE

__all__ = ["Outcome", "add_arguments", "compare", "main", "read_report"]

_EXAMPLES = """\
examples:
  discord-twin drift -- pytest tests                        the day before the last change, and today
  discord-twin drift --since 2026-01-01 -- pytest -x        everything that changed this year
  discord-twin drift --until 2026-11-16 -- npm test         any command whose twin reads the environment
"""
MAX_MESSAGE_CHARS = 100


class Outcome(NamedTuple):
    """What became of one test."""

    status: str
    message: str = ""


def read_report(path: Path) -> dict[str, Outcome]:
    """Read a report of pytest (JUnit XML): the outcome of each test by its name."""
    outcomes = {}
    # The report comes from a command that the user runs with all their rights: it need not be distrusted.
    for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314
        name = "::".join(filter(None, (case.get("classname", "").replace(".", "/"), case.get("name"))))
        outcome = Outcome("passed")
        for child in case:
            if child.tag in {"failure", "error", "skipped"}:
                status = {"failure": "failed", "error": "failed"}.get(child.tag, child.tag)
                outcome = Outcome(status, (child.get("message") or "").partition("\n")[0][:MAX_MESSAGE_CHARS])
        outcomes[name] = outcome
    return outcomes


def compare(old: dict[str, Outcome], new: dict[str, Outcome]) -> list[str]:
    """Return a line for each test whose outcome differs."""
    missing = Outcome("not run")
    lines = []
    for name in sorted({*old, *new}):
        before, after = old.get(name, missing), new.get(name, missing)
        if before.status != after.status:
            # The message of the failure says more than that of a skip or a pass.
            message = after.message or before.message
            lines.append(f"{name}: {before.status} -> {after.status}{message and f'  {message}'}")
    return lines


def _run(command: Sequence[str], day: str) -> tuple[int, dict[str, Outcome]]:
    """Run the command on the Discord of a day; tests are known if it is pytest."""
    # The program may be `pytest`, `python -m pytest` or a path to either.
    is_pytest = any(Path(word).stem in {"pytest", "py.test"} for word in command[:3])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [*command, f"--junitxml={report}"] if is_pytest else [*command]
        print(f"--- as of {day or 'today'}: {' '.join(command)}", flush=True)
        status = subprocess.run(words, env={**os.environ, AS_OF_VARIABLE: day}, check=False).returncode  # noqa: S603
        return status, read_report(report) if report.exists() else {}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `drift` takes."""
    day_before = CHANGES[-1].since - timedelta(days=1)
    parser.add_argument(
        "--since", type=parse_day, default=day_before, metavar="DAY", help=f"default {day_before}"
    )
    parser.add_argument("--until", type=parse_day, default=None, metavar="DAY", help="default today")
    parser.add_argument(
        "command", nargs="+", metavar="COMMAND", help="after --, the command that runs the tests"
    )


def main(argv: Sequence[str]) -> int:
    """Compare two days; returns 0 if nothing changes, 1 if something does, 2 if the command cannot run."""
    parser = argparse.ArgumentParser(
        prog="discord-twin drift",
        description="Run a test suite on the Discord of two days, and print what changes.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    arguments = parser.parse_args(argv)
    until: date = arguments.until or date.today()
    between = [change for change in CHANGES if arguments.since < change.since <= until]
    print(f"Discord changed {len(between)} times after {arguments.since}, up to {until}:")
    for change in between:
        print(f"  {change.since}  {change.summary}  {change.source}")
    try:
        old_status, old = _run(arguments.command, str(arguments.since))
        new_status, new = _run(arguments.command, str(until))
    except OSError as error:
        print(f"discord-twin drift: cannot run {arguments.command[0]}: {error.strerror}")
        return 2
    lines = compare(old, new)
    if not old and not new and old_status != new_status:
        lines.append(f"exit status: {old_status} -> {new_status}")
    print(f"\n{len(lines)} differences between {arguments.since} and {until}" + ":" * bool(lines))
    for line in lines:
        print(f"  {line}")
    return 1 if lines else 0
