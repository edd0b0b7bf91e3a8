"""Lines that install something work from a clone; only READMEs of the packages name PyPI."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = {
    f"packages/{file.parent.name}": set(
        tomllib.loads(file.read_text(encoding="utf-8"))["project"].get("optional-dependencies", {})
    )
    for file in ROOT.glob("packages/*/pyproject.toml")
}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Dockerfile", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_install_line_names_a_folder_of_the_clone_and_an_extra_that_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"pip install [^\n`]*?\"?(\S*)\[([\w,-]+)\]", text)

    for place, extras in lines:
        folder = place.strip("\"'")
        assert folder in EXTRAS, "a folder of the clone"
        assert set(extras.split(",")) <= EXTRAS[folder]


def test_discord_without_discord_py_names_the_line_that_installs_it() -> None:
    program = "import sys; sys.modules['discord'] = None; import streamcord.discord"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "streamcord.discord needs discord.py: pip install" in done.stderr.splitlines()[-1]
