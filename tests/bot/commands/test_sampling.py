"""The sample of a degree: planned as an answer is, the same each time."""

from __future__ import annotations

import pytest

from streamcord import Degree, Settings
from streamcord._bot.commands.sampling import SAMPLE, plan_sample


def test_degree_0_is_one_message_as_it_was_written() -> None:
    assert [message.content for message in plan_sample(Settings(degree=Degree.NONE))] == [SAMPLE]


def test_each_degree_looks_different_and_higher_ones_come_in_more_pieces() -> None:
    plans = [[message.content for message in plan_sample(Settings(degree=degree))] for degree in Degree]

    assert plans[0] != plans[1] != plans[3]
    assert len(plans[0]) < len(plans[2]) < len(plans[3])


def test_only_the_higher_degrees_take_their_time() -> None:
    delays = {degree: sum(one.delay for one in plan_sample(Settings(degree=degree))) for degree in Degree}

    assert [bool(delay) for delay in delays.values()] == [False, False, True, True]


@pytest.mark.parametrize("degree", Degree)
def test_a_sample_is_the_same_each_time_and_fits_an_answer(degree: Degree) -> None:
    plan = plan_sample(Settings(degree=degree))

    assert plan == plan_sample(Settings(degree=degree))
    assert sum(len(message.content) for message in plan) < 1000
