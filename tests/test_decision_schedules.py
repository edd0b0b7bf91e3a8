"""Questions with buttons under kills and wrong presses; `tools/decision_schedule.py` is the long form."""

from __future__ import annotations

import pytest

from schedules.decisions import play


# Seeds that once were wrong come first: buttons left after a restart, an answer that never went on, a second card.
@pytest.mark.parametrize("seed", [92, 128, 1078, 1088, 61, 87, 1062])
def test_one_decision_and_one_effect_whatever_happens(seed: int) -> None:
    assert play(seed).wrong == ""
