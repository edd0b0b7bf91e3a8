"""Three bots in processes of their own: everything goes wrong once, and no one notices more than a pause.

The long form is `tools/chaos.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.chaos import chaos

STRIKES = ("SIGKILL", "SIGSTOP", "database", "deploy", "network")
"""A deploy starts a new process, waits until it is ready, and ends the old one by SIGTERM."""


@pytest.mark.timeout(180)
async def test_one_of_each_kind_loses_nothing_doubles_nothing_and_keeps_the_order(tmp_path: Path) -> None:
    async with chaos(tmp_path, bots=3, guilds=8, channels=12) as made:
        await made.start()
        async with made.asking():
            for number, kind in enumerate(STRIKES):
                await made.strike(kind, made.bots[number % 3], stopped=6.0)

        assert set(made.verdicts()) == {"complete"}, made.report()
        assert made.busiest_second() <= 50
        assert made.wait_p95() <= 20.0
        assert len(made.waits) >= 24
