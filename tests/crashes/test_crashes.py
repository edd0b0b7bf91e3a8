"""The bot is killed for real, in a process of its own; the long run is `tools/kill_bot.py`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crashes.faults import kill, kill_in_the_dark, kill_where_nothing_is_written, kill_with_a_locked_database
from crashes.matrix import Act, Meanwhile, Stand, Trial, run_trials, stand, words_since
from discord_twin import Twin, TwinOptions


def make_folders(place: Path, *names: str) -> None:
    for name in names:
        (place / name).mkdir()


async def trials_of(folder: Path, names: list[str], acts: Sequence[Act], **more: Any) -> list[Trial]:
    """What comes of a round for each of these, on a stand of its own."""
    left = iter(acts)

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await next(left)(made, random, meanwhile)

    rounds = run_trials(folder, names, range(len(acts)), 14, act, **more)
    return [trial async for found in rounds for trial in found]


@pytest.mark.timeout(240)
async def test_twelve_killed_answers_end_complete_and_in_bad_times_nothing_is_doubled(tmp_path: Path) -> None:
    make_folders(tmp_path, "killed", "bad")
    kinds = ["messages", "persona", "table", "tool", "live", "ask"]
    bad_times = [kill_with_a_locked_database, kill_where_nothing_is_written, kill_in_the_dark]
    killed, bad = await asyncio.gather(
        trials_of(tmp_path / "killed", kinds, [kill(), kill()]),
        trials_of(tmp_path / "bad", ["messages", "persona"], bad_times, longest=1.0, patience=15.0),
    )

    # A command that no one took is not counted: Discord tells the one who used it.
    assert len(killed) >= 10
    assert [trial for trial in killed if trial.verdict != "complete"] == []
    assert len(bad) == 6
    # What could not be written may be missing at the end, and is told; nothing is doubled or out of order.
    assert [trial for trial in bad if trial.verdict not in {"complete", "marked"}] == []


async def check_sigterm(tmp_path: Path) -> None:
    """What is asked while no one is there is answered, too."""
    async with stand(tmp_path) as made:
        channels = await made.prepare(["messages", "sentences"])
        await made.start()
        asked = made.ask("messages", channels["messages"])
        await asyncio.sleep(0.6)
        await made.kill(signal.SIGTERM)
        half = words_since(channels["messages"], asked)
        missed = made.ask("sentences", channels["sentences"])
        await made.start()
        texts = await made.said(channels["messages"], asked, 440, 15)
        others = await made.said(channels["sentences"], missed, 50, 15)

    assert all(text.endswith("reading.") for text in half)
    assert "\n".join(texts).count("Bubble line") == 9
    assert "".join(others).count("five") == 1


RUN = """
import runpy, sys
from streamcord.discord import redirect_discord_py
with redirect_discord_py(*sys.argv[2:5]):
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


async def check_example(tmp_path: Path) -> None:
    """Thirty lines that are killed and started again."""
    example = Path(__file__).parents[2] / "examples" / "durable.py"
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 30
    async with Twin(TwinOptions.without_limits()) as twin:
        addresses = (twin.api_url, twin.gateway_url, twin.cdn_url)
        environment = {**os.environ, "DISCORD_TOKEN": twin.token, "CHANNEL": str(twin.channel.id)}
        for number in range(2):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", RUN, str(example), *addresses), env=environment, cwd=tmp_path
            )
            if number == 0:
                for _ in range(3):
                    await twin.next_message(twin.channel, 30)
                process.kill()
            assert await process.wait() == (0 if number else -signal.SIGKILL)
        texts = [one.content for one in twin.channel.messages.values() if one.by_machine]

    assert "\n".join(texts).split("\n") == [
        f"Line {number} of a poem that takes its time." for number in range(1, 8)
    ]


@pytest.mark.timeout(240)
async def test_sigterm_hands_over_and_the_example_for_users_of_the_library_goes_on(tmp_path: Path) -> None:
    make_folders(tmp_path, "sigterm", "example")
    await asyncio.gather(check_sigterm(tmp_path / "sigterm"), check_example(tmp_path / "example"))
