"""More than a thousand answers through `say`, the real discord.py and the twin, with at least three faults each.

Bot: nothing lost, doubled or moved, no one pinged. Webhook: nothing doubled, and what is uncertain is told.
Everything is judged by what the twin made, on time that jumps; a red schedule prints its seed.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from conftest import PROFILE
from schedules.judge import judge
from schedules.report import NAMES, play, table
from schedules.schedule import SWITCHES, draw
from schedules.stage import Run

# Every batch has 290 schedules, so that each of the 29 places in the list of switches has ten turns in it.
COUNT = 10_440 if PROFILE == "long" else 1_160
BATCHES = 4
SIZE = COUNT // BATCHES
LEAST = 20 // BATCHES


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """discord.py and the twin would write thousands of warnings."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_whatever_goes_wrong_nothing_is_lost_doubled_moved_or_pinged(
    batch: int, record_property: Callable[[str, object], None]
) -> None:
    report = play(range(batch * SIZE, (batch + 1) * SIZE))
    record_property("faults", json.dumps(report.fired))
    record_property("schedules", str(report.played))

    assert report.red == [], "\n\n".join(report.red)
    assert report.played == SIZE
    assert {name: report.fired[name] for name in NAMES if report.fired[name] < LEAST} == {}


def test_every_schedule_has_three_faults_or_more_and_is_reproducible() -> None:
    schedules = [draw(seed) for seed in range(500)]

    assert min(len(schedule.faults) for schedule in schedules) >= 3
    assert schedules == [draw(seed) for seed in range(500)]
    assert {schedule.switch for schedule in schedules} == {None, *SWITCHES}
    assert {(schedule.road, schedule.place) for schedule in schedules} == {
        ("bot", "channel"),
        ("bot", "thread"),
        ("bot", "dm"),
        ("webhook", "channel"),
        ("webhook", "thread"),
    }


def test_the_judge_sees_what_is_missing() -> None:
    """No run at all: every word of the plan is lost, and there is no result."""
    schedule = draw(1)
    wrong = judge(Run(schedule, list(schedule.lines)))

    assert any("lost" in line for line in wrong)
    assert "no result" in wrong


def test_the_table_names_every_fault() -> None:
    assert all(name in "\n".join(table(Counter())) for name in NAMES)
