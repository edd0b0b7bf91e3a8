"""A short random walk; `tools/random_walk.py` takes 5 000 acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from security.walk import walk
from twin.conftest import FREE


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_random_walk_breaks_no_invariant_of_access_and_privacy(tmp_path: Path, seed: int) -> None:
    done = await walk(tmp_path / "walk.db", seed, 70, FREE)

    assert done.violations == []
    assert done.checked > 20
