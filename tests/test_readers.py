"""Texts that an editor has cut come out as wanted, in every slicing; the tool that tries them can say no."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))

from readers import CASES, describe, judge, load_cases

LEAST = 147
"""So many cases at least come out as wanted."""


def _case(wanted: list[str] | None, **fields: object) -> dict[str, Any]:
    case: dict[str, Any] = {"id": "X-1", "group": "X", "input": "Hi.\nYou.", "settings": {"degree": 2}}
    return {**case, "seed": 0, "wanted": wanted, "note": "", **fields}


@pytest.mark.skipif(not CASES.exists(), reason="the editor's cases are not beside this checkout")
def test_the_editors_cases_come_out_as_wanted() -> None:
    verdicts = [judge(case) for case in load_cases()]
    wrong = [describe(verdict) for verdict in verdicts if not verdict.ok]
    assert len(verdicts) - len(wrong) >= LEAST, "\n".join(wrong)


def test_a_case_is_right_or_wrong() -> None:
    assert judge(_case(["Hi.", "You."])).ok
    verdict = judge(_case(["Hi. You."]))
    assert not verdict.ok
    assert verdict.got == ["Hi.", "You."]
    assert "WANTED" in describe(verdict)


def test_dice_may_fall_otherwise() -> None:
    heavy = {"degree": 3}
    assert judge(_case(["so", "but yes"], input="So, but yes.", settings=heavy)).ok
    assert not judge(_case(["no", "yes"], input="So, but yes.", settings=heavy)).ok


def test_where_breaks_are_forbidden_no_throw_may_bring_one() -> None:
    verdict = judge(_case(["so, but yes"], input="So, but yes.", settings={"degree": 3}, group="F-06"))
    assert (verdict.ok, verdict.why) == (False, "some seed breaks it")


def test_a_case_with_many_right_outcomes_has_a_check() -> None:
    hidden = "It was ||the butler|| then."
    assert judge(_case(None, id="N-5", input=hidden)).ok
    assert judge(_case(None, id="X-2", input=hidden)).why == "there is no check for it"
