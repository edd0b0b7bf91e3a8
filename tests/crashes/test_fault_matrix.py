"""A short form of the fault matrix; the whole one is `tools/fault_matrix.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from crashes.fault_matrix import FAULTS, KINDS, on_matrix

SHORT = (
    "200 with another channel's message, not carried out",
    "404 with a page",
    "one 401",
    "carried out, the connection closes",
    "SIGKILL",
)
"""One fault of each class: a success without proof, a refusal that is not Discord's, a token in doubt, a lost answer,
a lost process."""


@pytest.mark.timeout(240)
async def test_no_answer_is_silent_doubled_or_left_with_a_button(tmp_path: Path) -> None:
    async with on_matrix(tmp_path) as (made, whole):
        cells = [cell for name in SHORT for cell in await made.strike(FAULTS[name], whole, name, seed=29)]

    assert [cell for cell in cells if not cell.is_good] == []
    assert len(cells) == len(SHORT) * len(KINDS)
