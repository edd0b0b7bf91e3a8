"""The bugs that prove the strength of the invariants can still be planted; `tools/planted_bugs.py` plants them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from invariants import INVARIANTS

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from bug_rows import BUGS, Bug  # noqa: E402
from planting import CannotPlant, change  # noqa: E402


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_can_still_be_planted(bug: Bug) -> None:
    module = bug.place.partition(":")[0].replace(".", "/")
    source = (ROOT / "packages/streamcord/src/streamcord" / f"{module}.py").read_text(encoding="utf-8")

    compile(change(source, bug.place, bug.old, bug.new), module, "exec")


def test_every_invariant_has_bugs_to_find() -> None:
    found = Counter(bug.invariant for bug in BUGS)
    assert set(found) == set(INVARIANTS)
    assert found.total() >= 30


def test_every_bug_names_a_function_class_or_constant() -> None:
    assert [bug.name for bug in BUGS if not bug.place.partition(":")[2]] == []


def test_no_bug_is_planted_twice() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS)
    assert len({(bug.place, bug.old, bug.new) for bug in BUGS}) == len(BUGS)


def test_a_planted_change_ignores_lines_formatting_and_comments() -> None:
    source = (
        "LIMIT = 5\n\n\ndef cut(text):\n    return split(\n        text,\n        LIMIT,  # here\n    )\n"
    )

    assert change(source, "module:LIMIT", "LIMIT = 5", "LIMIT = 6").startswith("LIMIT = 6")
    assert "return split(text, 4)" in change(source, "module:cut", "split(text, LIMIT)", "split(text, 4)")


@pytest.mark.parametrize("place", ["module:gone", "module:cut"])
def test_a_change_that_has_no_place_is_refused(place: str) -> None:
    with pytest.raises(CannotPlant):
        change("def cut(text):\n    return text\n", place, "return words", "return None")
