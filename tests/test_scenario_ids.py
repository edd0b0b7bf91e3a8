"""Every scenario of the stream, of stops and of resources has a test that carries its id."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
COUNTS = {"p": 40, "s": 17, "r": 8}
ELSEWHERE = {"R-08": "a full disk is a matter of the journal"}

_NAME = re.compile(r"def test_([psr])((?:_\d\d)+)_")


def ids() -> set[str]:
    """The ids that the names of tests begin with; one test may carry several."""
    found = set()
    for path in TESTS.rglob("test_*_scenarios.py"):
        for letter, numbers in _NAME.findall(path.read_text("utf-8")):
            found |= {f"{letter.upper()}-{number}" for number in numbers.strip("_").split("_")}
    return found


@pytest.mark.parametrize("letter", COUNTS)
def test_every_scenario_is_a_test_or_has_a_reason(letter: str) -> None:
    wanted = {f"{letter.upper()}-{number:02}" for number in range(1, COUNTS[letter] + 1)}

    assert wanted - ids() - ELSEWHERE.keys() == set()
    assert ids() & ELSEWHERE.keys() == set()
