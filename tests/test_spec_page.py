"""`docs/spec.md` names only tests that exist and differences that it explains."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import spec

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")

ROWS = re.findall(r"^\| ([A-Z]\d+) \| (.+) \|$", PAGE, re.MULTILINE)
DIFFERENCES = {number: row for number, row in ROWS if number.startswith("D")}
STATEMENTS = spec.read_rows(PAGE)
SHOWN = {number: row for number, row in ROWS if not number.startswith("D")}
TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE)))
COUNTS = {"P": 46, "B": 45, "N": 60, "V": 63, "T": 77}
"""Statements of each document."""


@cache
def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


@pytest.mark.parametrize("name", TESTS)
def test_every_named_test_exists(name: str) -> None:
    file, _, function = name.partition("::")
    path = ROOT / file

    assert path.is_file()
    assert not function or function in functions(path)


def test_every_statement_has_one_row_in_order() -> None:
    expected = [f"{seed}{number}" for seed, count in COUNTS.items() for number in range(1, count + 1)]

    assert [row.number for row in STATEMENTS] == expected == [*SHOWN]


@pytest.mark.parametrize("row", STATEMENTS, ids=lambda row: row.number)
def test_every_statement_is_shown_and_a_difference_is_explained(row: spec.Row) -> None:
    differences = re.findall(r"\bD\d+\b", re.split(r"(?<!\\)\|", SHOWN[row.number])[-1])

    assert row.tests
    assert set(differences) <= set(DIFFERENCES)
    assert row.mark in "✔Dd"
    if row.mark == "D":
        assert any(not DIFFERENCES[one].endswith("| none") for one in differences)
    if row.mark == "d":
        assert differences


def test_few_differences_have_no_setting() -> None:
    assert sum(row.mark == "d" for row in STATEMENTS) <= spec.MAX_ARGUED
    assert not [row.number for row in STATEMENTS if row.mark == "✘"]


def test_legend_counts_the_rows() -> None:
    counts = dict(re.findall(r"^\| ([✔Dd✘]) \| .+ \| (\d+) \|$", PAGE, re.MULTILINE))

    assert counts == {mark: str(sum(row.mark == mark for row in STATEMENTS)) for mark in "✔Dd✘"}


def test_no_difference_has_the_number_of_another() -> None:
    numbers = [number for number, _ in ROWS if number[0] == "D"]

    assert sorted(set(numbers)) == sorted(numbers)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in DIFFERENCES.values()} == {3}
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in SHOWN.values()} == {3}


def test_every_number_that_explains_a_disagreement_is_on_the_page() -> None:
    rules = (ROOT / "tools" / "agreement_rules.py").read_text(encoding="utf-8")
    numbers = set(re.findall(r'"(D\d+)"', rules))

    assert numbers
    assert numbers <= set(DIFFERENCES)


# --- The script that runs the rows ---

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_one[x]"/>
<testcase classname="tests.test_a" name="test_one[y]"><failure message="no"/></testcase>
<testcase classname="tests.test_a" name="test_two"/>
<testcase classname="tests.test_a" name="test_three"><skipped/></testcase>
<testcase classname="tests.test_a" name="test_four[x]"><skipped/></testcase>
<testcase classname="tests.test_a" name="test_four[y]"/>
<testcase classname="tests.test_cases" name="test_page[guard-off]"/>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    ("tests", "mark"),
    [
        (("tests/test_a.py::test_two",), "D"),
        (("tests/test_a.py::test_two", "tests/test_a.py::test_one"), "✘"),
        (("tests/test_a.py::test_three",), "✘"),
        (("tests/test_a.py::test_four",), "D"),
        (("tests/test_a.py::test_missing",), "✘"),
        (("tests/test_a.py",), "✘"),
        (("tests/cases/guard-off.case",), "D"),
        ((), "✘"),
    ],
)
def test_row_is_marked_by_its_worst_test(tests: tuple[str, ...], mark: str) -> None:
    row = spec.Row("P1", "x", "D", tests)
    assert spec.judge(row, spec.read_report(REPORT))[0] == mark
