"""The bot is killed for real, in a process of its own; the long run is `make crashes`."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from crashes.matrix import run_kills, stand, words_since

HELD = {"complete"}


@pytest.mark.timeout(240)
async def test_twelve_killed_answers_end_complete(tmp_path: Path) -> None:
    names = ["bubbles", "persona", "sprites", "table", "tool", "whole"]

    trials = await run_kills(tmp_path, names, 2, seed=14)

    assert len(trials) == 12
    assert [trial for trial in trials if trial.verdict not in HELD] == []


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
