"""What becomes of an interrupted answer, by its age."""

from __future__ import annotations

import pytest

from streamcord_bot.recovery.resume_policy import (
    MAX_AGE_S,
    MAX_REFUSED_S,
    NOTICE_AFTER_S,
    Verdict,
    judge,
)


@pytest.mark.parametrize(
    ("age_s", "was_refused", "verdict"),
    [
        (0.0, False, Verdict.RESUME),
        (NOTICE_AFTER_S, False, Verdict.RESUME),
        (NOTICE_AFTER_S + 1, False, Verdict.RESUME_WITH_NOTICE),
        (MAX_REFUSED_S, True, Verdict.RESUME_WITH_NOTICE),
        (MAX_REFUSED_S + 1, True, Verdict.OFFER),
        (MAX_AGE_S, False, Verdict.RESUME_WITH_NOTICE),
        (MAX_AGE_S + 1, False, Verdict.ABANDON),
        (MAX_AGE_S + 1, True, Verdict.ABANDON),
        # The clock was set back.
        (-5.0, True, Verdict.RESUME),
    ],
)
def test_age_decides_what_becomes_of_an_answer(age_s: float, was_refused: bool, verdict: Verdict) -> None:
    assert judge(age_s, was_refused=was_refused) is verdict
