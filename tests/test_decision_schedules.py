"""Questions with buttons under kills and wrong presses; `tools/decision_schedule.py` is the long form."""

from __future__ import annotations

import pytest

from schedules.decisions import play


# All four kinds of questions, with kills at each step.
@pytest.mark.parametrize("seed", [92, 128, 1078, 1088, 61, 87, 1062])
def test_one_decision_and_one_effect_whatever_happens(seed: int) -> None:
    assert play(seed).wrong == ""
