"""The list of bugs that prove the laws' strength stays true to the source; `make planted` plants them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from laws import LAWS

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from bug_rows import BUGS, Bug  # noqa: E402


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_can_still_be_planted(bug: Bug) -> None:
    source = (ROOT / "src" / "streamcord" / bug.file).read_text(encoding="utf-8")
    assert source.count(bug.old) == 1
    compile(source.replace(bug.old, bug.new), bug.file, "exec")


def test_every_law_has_bugs_to_find() -> None:
    found = Counter(bug.law for bug in BUGS)
    assert set(found) == set(LAWS)
    assert found.total() >= 30


def test_no_bug_is_planted_twice() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS)
    assert len({(bug.file, bug.old, bug.new) for bug in BUGS}) == len(BUGS)
