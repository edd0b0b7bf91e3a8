"""A bot that trusts names breaks on 2026-11-16, one that asks what it may view does not: both on real discord.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from discord_twin.cli import main

SUITE = Path(__file__).with_name("two_bots.py")


def test_drift_finds_the_unprepared_bot_only(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # In a folder of its own, as the suite of another project.
    suite = tmp_path / "test_two_bots.py"
    suite.write_bytes(SUITE.read_bytes())
    options = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto"]
    command = [sys.executable, "-m", "pytest", *options, str(suite)]

    assert main(["drift", "--since", "2026-11-15", "--until", "2026-11-16", "--", *command]) == 1

    out = capfd.readouterr().out
    differences = out.partition("2 differences between")[2]
    assert "test_unprepared_help: passed -> failed" in differences
    assert "test_unprepared_finds_channel: passed -> failed" in differences
    assert "test_prepared" not in differences
    assert "https://docs.discord.com/developers/resources/channel#obfuscated-channels" in out
