from __future__ import annotations

from streamcord import Dropped, Ending, TurnResult
from streamcord._bot.answer.answer_ending import find_ending_notice


def test_a_part_that_may_be_missing_is_told_of() -> None:
    lost = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "uncertain", ((0, 3),)),))
    other = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "empty", ((0, 3),)),))

    assert find_ending_notice(lost) == "part_lost"
    assert find_ending_notice(other) == ""
