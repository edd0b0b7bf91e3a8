"""What an import brings along. The layers of the packages are contracts of import-linter in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("module", ["streamcord", "streamcord._cli", "streamcord.testing"])
def test_import_loads_no_third_party(module: str) -> None:
    roots = {name.split(".")[0] for name in loaded_by(module)}

    assert "streamcord" in roots
    assert roots - {"streamcord"} - sys.stdlib_module_names == set()


def test_import_loads_no_database() -> None:
    loaded = loaded_by("streamcord")

    assert "sqlite3" not in loaded
    assert [name for name in loaded if name.startswith("streamcord._store")] == []


def test_import_reads_no_word_list() -> None:
    read = "sum(one.cache_info().currsize for one in vars(word_lists).values() if hasattr(one, 'cache_info'))"
    script = f"import streamcord; from streamcord._text import word_lists; print({read})"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert int(run.stdout) == 0


def test_import_of_the_local_discord_needs_no_discord_py() -> None:
    assert "discord" not in loaded_by("discord_twin")


@pytest.mark.parametrize(
    "module", ["streamcord.databases", "streamcord_bot.app", "streamcord_bot.demo.runner"]
)
def test_a_bot_without_postgres_needs_no_asyncpg(module: str) -> None:
    script = f"import sys; sys.modules['asyncpg'] = None; import {module}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr


def loaded_by(module: str) -> set[str]:
    """Return the modules that an import adds, in a process of its own."""
    script = f"import sys; old = {{*sys.modules}}; import {module}; print(*{{*sys.modules}} - old)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {*run.stdout.split()}


def test_layers_of_the_packages_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout
