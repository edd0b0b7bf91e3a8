"""`streamcord init`, `check` and `bot`, run as an operator runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import streamcord
from streamcord.cli import main

SOURCE = Path(streamcord.__file__).parent.parent
CLEAN = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}


def run(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "streamcord", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**CLEAN, "PYTHONPATH": str(SOURCE), **environment},
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_init_asks_writes_and_says_what_is_next_and_check_finds_what_is_missing(tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "init", stdin="ollama\n\nqwen3\nRex\n\n3\n")
    assert status == 0
    assert "Provider (openai, " in out
    assert "streamcord check --config streamcord.toml" in out
    assert 'name = "Rex"' in (tmp_path / "streamcord.toml").read_text(encoding="utf-8")

    status, out, _ = run(tmp_path, "check", "--offline")
    assert status == 1
    assert "ok     file       streamcord.toml is read" in out
    assert "wrong  token      DISCORD_TOKEN is not set" in out
    assert "export DISCORD_TOKEN=" in out
    assert out.endswith("1 to mend.\n")

    status, out, _ = run(tmp_path, "check", "--offline", DISCORD_TOKEN="a-token")
    assert status == 0
    assert "All is well" in out
    assert "a-token" not in out


def test_init_does_not_write_over_a_file_nor_half_a_file(tmp_path: Path) -> None:
    assert run(tmp_path, "init", stdin="openai\n")[0] == 2
    assert list(tmp_path.iterdir()) == []

    assert run(tmp_path, "init", "--yes")[0] == 0
    status, _, error = run(tmp_path, "init", "--yes")
    assert status == 2
    assert "--force" in error
    assert run(tmp_path, "init", "--yes", "--force", "--persona", "Rex")[0] == 0


def test_the_bot_does_not_start_without_a_file_or_a_token(tmp_path: Path) -> None:
    status, _, error = run(tmp_path, "bot")
    assert status == 2
    assert "streamcord init" in error

    run(tmp_path, "init", "--yes")
    status, _, error = run(tmp_path, "bot")
    assert status == 2
    assert "DISCORD_TOKEN is not set" in error


@pytest.mark.parametrize("command", ["check", "bot"])
def test_a_file_that_is_wrong_is_told_in_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "streamcord.toml"
    path.write_text("[models.main]\nprovider = 'gpt'\n", encoding="utf-8")

    assert main([command, "--config", str(path)]) in {1, 2}
    told = capsys.readouterr()
    assert "models.main.provider must be one of openai" in told.out + told.err
