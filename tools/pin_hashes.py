"""Writes `requirements/PURPOSE.txt`: what one purpose installs from others, each file with its hashes.

    python tools/pin_hashes.py UV WHEELS

`tools/constraints` runs it with the command `uv` and a folder with wheels of the three distributions. pip compares
hashes only if everything has one, which nothing of this checkout can have. So the distributions are installed in a
second step, without dependencies and without a build environment that pip would fill from the network.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from set_up import EDITABLE

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
PURPOSES = ("image", *EDITABLE)


def wanted(purpose: str) -> list[str]:
    """Return what a purpose installs: our distributions with their extras, what builds them, a group of ours."""
    if purpose == "image":
        text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
        ours = re.findall(
            r"packages/([\w-]+(?:\[[\w,]+\])?)", text.partition("pip install")[2].partition("FROM")[0]
        )
    else:
        ours = EDITABLE[purpose]
    groups = _read(ROOT)["dependency-groups"]
    folders = [ROOT / "packages" / one.partition("[")[0] for one in ours]
    builders = {one for folder in folders for one in _read(folder)["build-system"]["requires"]}
    if ours and purpose != "image":
        builders.add("editables")  # hatchling asks for it to install in place
    return [*ours, *sorted(builders), *groups.get(purpose, [])]


def _read(folder: Path) -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def main(uv: str, wheels: str) -> int:
    FOLDER.mkdir(exist_ok=True)
    for purpose in PURPOSES:
        ours = [word for path in (ROOT / "packages").iterdir() for word in ("--no-emit-package", path.name)]
        command = [
            uv,
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version",
            "3.11",
            "--generate-hashes",
        ]
        command += ["--no-header", "--no-annotate", "--no-config", "--find-links", wheels, *ours]
        pinned = subprocess.run(
            [*command, "--constraints", str(ROOT / "constraints.txt"), "-"],
            input="\n".join(wanted(purpose)), stdout=subprocess.PIPE, text=True, check=True,
            env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
        ).stdout  # fmt: skip
        if found := re.search(r"(?m)^(?:--|/).*|.*://.*", pinned):
            print(f"pin_hashes: {purpose} names an address or a path: {found[0]}", file=sys.stderr)
            return 1
        (FOLDER / f"{purpose}.txt").write_text(pinned, encoding="utf-8")
        print(f"requirements/{purpose}.txt: {pinned.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
