"""The bot is killed for real, in a process of its own; the long run is `make crashes`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random

import pytest

from crashes.faults import kill, kill_in_the_dark, kill_where_nothing_is_written, kill_with_a_locked_database
from crashes.matrix import Meanwhile, Stand, run_trials, stand, words_since
from streamcord.twin import Switches, Twin

HELD = {"complete"}


@pytest.mark.timeout(240)
async def test_twelve_killed_answers_end_complete(tmp_path: Path) -> None:
    names = ["bubbles", "persona", "table", "tool", "live", "ask"]

    rounds = [found async for found in run_trials(tmp_path, names, range(2), 14, kill())]
    trials = [trial for found in rounds for trial in found]

    # A command that nobody took is not counted: Discord tells whoever used it.
    assert len(trials) >= 10
    assert [trial for trial in trials if trial.verdict not in HELD] == []


@pytest.mark.timeout(240)
async def test_a_kill_with_the_database_locked_the_disk_full_or_the_network_cut_doubles_nothing(
    tmp_path: Path,
) -> None:
    acts = iter([kill_with_a_locked_database, kill_where_nothing_is_written, kill_in_the_dark])

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await next(acts)(made, random, meanwhile)

    names = ["bubbles", "persona"]
    running = run_trials(tmp_path, names, range(3), 14, act, longest=1.0, patience=15.0)
    rounds = [found async for found in running]
    trials = [trial for found in rounds for trial in found]

    assert len(trials) == 6
    # What could not be written may be missing at the end; nothing is there twice or out of order.
    assert [trial for trial in trials if trial.verdict in {"doubled", "other"}] == []


@pytest.mark.timeout(240)
async def test_sigterm_hands_over_and_questions_asked_meanwhile_are_answered(tmp_path: Path) -> None:
    async with stand(tmp_path) as made:
        channels = await made.prepare(["bubbles", "sentences"])
        await made.start()
        asked = made.ask("bubbles", channels["bubbles"])
        await asyncio.sleep(0.6)
        await made.kill(signal.SIGTERM)
        half = words_since(channels["bubbles"], asked)
        missed = made.ask("sentences", channels["sentences"])
        await made.start()
        texts = await made.said(channels["bubbles"], asked, 440, 15)
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


@pytest.mark.timeout(240)
async def test_the_example_for_users_of_the_library_goes_on_too(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "durable.py"
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 30
    async with Twin(Switches.without_limits()) as twin:
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
