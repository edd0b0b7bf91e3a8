"""Random schedules of follow-ups; `tools/follow_up_schedule.py` plays thousands, and plants bugs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.follow_up_schedules import play

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT / "tools"))

from follow_up_schedule import PLANTS, Plant  # noqa: E402
from planting import change  # noqa: E402


async def test_every_follow_up_is_answered_once_and_in_order(tmp_path: Path) -> None:
    assert await play(range(60), tmp_path) == []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_bug_can_still_be_planted(plant: Plant) -> None:
    module = plant.place.partition(":")[0].replace(".", "/")
    source = ROOT / "packages/streamcord-bot/src/streamcord_bot" / f"{module}.py"

    compile(change(source.read_text(encoding="utf-8"), plant.place, plant.old, plant.new), module, "exec")
