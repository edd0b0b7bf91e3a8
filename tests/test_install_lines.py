"""Lines that install something work today, from a clone; only the README names the index, for later."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Dockerfile", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_line_that_installs_names_a_clone_and_an_extra_that_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"pip install [^\n`]*?\"?(\S*)\[([\w,-]+)\]", text)

    assert {place.strip("\"'") for place, _ in lines} <= {"."}
    assert {extra for _, extras in lines for extra in extras.split(",")} <= EXTRAS.keys()


@pytest.mark.parametrize(
    ("module", "missing", "told"),
    [
        ("streamcord.discord", "discord", "streamcord.discord needs discord.py: pip install"),
        ("streamcord.twin", "aiohttp", "The local Discord needs aiohttp: pip install"),
    ],
)
def test_a_door_that_needs_a_package_names_the_line_that_brings_it(
    module: str, missing: str, told: str
) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert told in done.stderr.splitlines()[-1]
