"""Run the tests of every row of docs/spec.md, and print the mark that each statement of the specification has.

    python tools/spec.py            all rows
    python tools/spec.py N31 T42    these rows

A row that has no test, or of whose tests one fails, is missing or is skipped, is marked ✘. The exit status is 1 if there
is one, or more than `MAX_ARGUED` rows are marked d.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "spec.md"
MAX_ARGUED = 8
"""Rows that may differ without a setting."""

_ROW = re.compile(r"^\| ([PBNVT]\d+) \| (.+) \| ([✔Dd✘]) \| (.+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[^`]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    """One statement of the specification."""

    number: str
    statement: str
    mark: str
    tests: tuple[str, ...]


def read_rows(page: str) -> list[Row]:
    """Return the rows of the page, in order."""
    return [
        Row(number, statement, mark, tuple(_TEST.findall(shown)))
        for number, statement, mark, _, shown in _ROW.findall(page)
    ]


def node_id(test: str) -> str:
    """Return the name by which pytest finds a test of the page; a golden case is a parameter of its test."""
    path = Path(test)
    return f"tests/test_cases.py::test_page[{path.stem}]" if path.suffix == ".case" else test


def run_tests(nodes: Iterable[str]) -> dict[str, str]:
    """Run tests and return the outcome of each, by `file::name` without parameters, or by a case's own name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--tb=line", f"--junitxml={report}"]
        # Errors of collection are outcomes, too: their rows have none.
        subprocess.run([*command, *sorted(set(nodes))], cwd=ROOT, check=False)
        return read_report(report.read_text(encoding="utf-8")) if report.exists() else {}


def read_report(report: str) -> dict[str, str]:
    """Return the outcomes in a JUnit report; of several with one name the worst."""
    outcomes: dict[str, str] = {}
    for case in ET.fromstring(report).iter("testcase"):
        file = case.get("classname", "").replace(".", "/") + ".py"
        name = case.get("name", "")
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        for key in (f"{file}::{name}", f"{file}::{name.partition('[')[0]}", file):
            known = outcomes.get(key, outcome)
            # A test that some parameters skip is still run by the others.
            outcomes[key] = min(known, outcome, key=("failed", "passed", "skipped").index)
    return outcomes


def judge(row: Row, outcomes: dict[str, str]) -> tuple[str, list[str]]:
    """Return the mark of a row, and its tests that do not show it."""
    silent = [test for test in row.tests if outcomes.get(node_id(test)) != "passed"]
    return ("✘" if silent or not row.tests else row.mark), silent


def main(wanted: list[str]) -> int:
    """Print the marks; return the exit status."""
    rows = [row for row in read_rows(PAGE.read_text(encoding="utf-8")) if not wanted or row.number in wanted]
    outcomes = run_tests(node_id(test) for row in rows for test in row.tests)
    marks: Counter[str] = Counter()
    for row in rows:
        mark, silent = judge(row, outcomes)
        marks[mark] += 1
        why = f"   not shown by {', '.join(silent)}" if silent else ""
        print(f"{row.number:<4} {mark} {row.statement}{why}")
    print(f"{len(rows)} statements: " + ", ".join(f"{mark} {marks[mark]}" for mark in "✔Dd✘"))
    return int(not rows or marks["✘"] > 0 or marks["d"] > MAX_ARGUED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
