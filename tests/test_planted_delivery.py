"""The bugs that prove the judge's strength can still be planted; `tools/planted_bugs.py` plants them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from planted_delivery import PLANTS, Plant, describe  # noqa: E402
from planting import change  # noqa: E402


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_bug_can_still_be_planted(plant: Plant) -> None:
    module = plant.place.partition(":")[0].replace(".", "/")
    source = (ROOT / "packages/streamcord/src/streamcord" / f"{module}.py").read_text(encoding="utf-8")

    compile(change(source, plant.place, plant.old, plant.new), module, "exec")


def test_there_are_enough_of_them_and_silence_is_a_miss() -> None:
    assert len(PLANTS) >= 5
    assert describe(PLANTS[0], "")[0] is False
    assert describe(PLANTS[0], f"seed 3: bot\n    {PLANTS[0].expected}")[0] is True
