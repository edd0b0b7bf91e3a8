"""Requests drawn from Discord's description: the short form of `tools/twin_requests.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "tools"))

from twin_requests import DOCUMENT, Run, judge  # noqa: E402


@pytest.mark.skipif(not DOCUMENT.exists(), reason="needs Discord's openapi.json beside the checkout")
@pytest.mark.timeout(120)
async def test_responses_fit_and_every_disagreement_is_judged() -> None:
    run = Run(count=120, seed=7)
    await run.run()
    for tally in run.tallies.values():
        assert tally.violations == []
        assert tally.shapeless == []
        assert tally.statuses["broken"] == 0
    assert sum(run.tallies["valid"].statuses.values()) == 120
    assert set(run.classes) - set(judge(run.classes)) == set()
