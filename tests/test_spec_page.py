"""`docs/spec.md` names only tests that exist and differences that it explains."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")

ROWS = re.findall(r"^\| ([A-Z]\d+) \| (.+) \|$", PAGE, re.MULTILINE)
DIFFERENCES = [number for number, _ in ROWS if number.startswith("D")]
STATEMENTS = [(number, row) for number, row in ROWS if not number.startswith("D")]
TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE)) - {"tests/test_seeds_page.py"})


@cache
def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def verdict(row: str) -> str:
    """The last column."""
    return re.split(r"(?<!\\)\|", row)[-1]


@pytest.mark.parametrize("name", TESTS)
def test_every_named_test_exists(name: str) -> None:
    file, _, function = name.partition("::")
    path = ROOT / file

    assert path.is_file()
    assert not function or function in functions(path)


@pytest.mark.parametrize(("number", "row"), STATEMENTS)
def test_every_statement_is_shown_or_differs_or_is_planned(number: str, row: str) -> None:
    assert re.search(r"`tests/|\bD\d+\b|planned: \w+", verdict(row)), number


def test_no_difference_has_the_number_of_another() -> None:
    numbers = [number for number, _ in ROWS if number[0] == "D"]

    assert sorted(set(numbers)) == sorted(numbers)


def test_statements_are_numbered_without_gaps() -> None:
    for seed in "PBNVT":
        numbers = [int(number[1:]) for number, _ in ROWS if number[0] == seed]

        assert numbers == list(range(1, len(numbers) + 1)), seed
        assert numbers


def test_only_explained_differences_are_named_and_each_row_is_complete() -> None:
    named = set(re.findall(r"\bD\d+\b", "\n".join(row for _, row in STATEMENTS)))

    assert named <= set(DIFFERENCES)
    assert {len(re.findall(r"(?<!\\)\|", row)) for number, row in ROWS if number[0] == "D"} == {3}
    assert {len(re.findall(r"(?<!\\)\|", row)) for _, row in STATEMENTS} == {2}


def test_every_number_that_explains_a_disagreement_is_on_the_page() -> None:
    rules = (ROOT / "tools" / "agreement_rules.py").read_text(encoding="utf-8")
    numbers = set(re.findall(r'"(D\d+)"', rules))

    assert numbers
    assert numbers <= set(DIFFERENCES)
