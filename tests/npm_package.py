"""A package of npm for a test, installed once into pytest's cache; who has no Node has a reason to skip."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

NODE, NPM = shutil.which("node"), shutil.which("npm")
needs_node = pytest.mark.skipif(NODE is None or NPM is None, reason="needs Node 20.15 or newer, with npm")


def install(folder: Path, config: pytest.Config) -> Path:
    """Where the one package is that the folder's package.json asks for.

    Two who install it at once do not meet, because it is moved there as a whole.
    """
    assert config.cache is not None
    wanted: dict[str, str] = json.loads((folder / "package.json").read_text())["dependencies"]
    ((package, version),) = wanted.items()
    cache = config.cache.mkdir(package.rpartition("/")[2])
    home = cache / version
    if not home.is_dir():
        scratch = Path(tempfile.mkdtemp(dir=cache))
        shutil.copy(folder / "package.json", scratch)
        command = [str(NPM), "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True, timeout=240)
        with suppress(OSError):
            scratch.rename(home)
        shutil.rmtree(scratch, ignore_errors=True)
    return home / "node_modules" / package
