"""Five hundred answers that grow, each with at least three faults, half of them on edits.

As in the schedules for bubbles everything is judged by what the twin made, on time that jumps; a red schedule
prints its seed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from conftest import PROFILE
from schedules.report import play
from schedules.schedule import as_live, draw

COUNT = 5_000 if PROFILE == "long" else 500
BATCHES = 4


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """discord.py and the twin would write thousands of warnings."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_whatever_goes_wrong_nothing_that_grows_is_lost_or_doubled(batch: int) -> None:
    seeds = range(batch, COUNT, BATCHES)
    report = play(seeds, live=True)

    assert report.red == [], "\n\n".join(report.red)
    assert report.played == len(seeds)


def test_edits_have_faults_of_their_own() -> None:
    routes = {route for seed in range(40) for fault in as_live(draw(seed)).faults for route in fault.routes}

    assert routes == {"messages.create", "webhooks.execute", "messages.edit", "webhooks.message"}
