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
from planting import change  # noqa: E402


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_can_still_be_planted(bug: Bug) -> None:
    module = bug.place.partition(":")[0].replace(".", "/")
    source = (ROOT / "packages/streamcord/src/streamcord" / f"{module}.py").read_text(encoding="utf-8")

    compile(change(source, bug.place, bug.old, bug.new), module, "exec")


def test_every_invariant_has_bugs_to_find() -> None:
    found = Counter(bug.invariant for bug in BUGS)
    assert set(found) == set(INVARIANTS)
    assert found.total() >= 30


def test_no_bug_is_planted_twice() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS)
    assert len({(bug.place, bug.old, bug.new) for bug in BUGS}) == len(BUGS)
