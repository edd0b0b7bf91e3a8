"""Build the three distributions as a user gets them, and try each in a fresh environment.

Source archives are built first and the wheels from them, so a file missing from an archive is noticed. The library
needs no other package: it is tried alone, with every supported Python on this machine, without an index. The bot and
the twin get their dependencies from the index or from PIP_FIND_LINKS.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUPPORTED = ("3.11", "3.12", "3.13")
ANSWER = "Sure! Here it is:\n```python\nprint(1)\n```\nDone."


def run(*command: str | Path, stdin: str = "") -> str:
    """Run from an empty folder, so that nothing is imported from the sources by accident."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [str(part) for part in command],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=elsewhere,
            env=environment,
        )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name: str, target: Path) -> Path:
    """Build a distribution and return its wheel."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", target, ROOT / "packages" / name)
    (wheel,) = target.glob(f"{name.replace('-', '_')}-*.whl")
    return wheel


def find_pythons() -> Iterator[tuple[str, Path]]:
    """Each supported version with an interpreter that really answers."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for version in SUPPORTED:
        on_path = shutil.which(f"python{version}")
        candidates = [Path(sys.executable), *([Path(on_path)] if on_path else [])]
        candidates += sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
        if found := next((path for path in candidates if _version(path) == version), None):
            yield version, found
        else:
            print(f"wheel: Python {version} is not on this machine, not tried")


def _version(path: Path) -> str:
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def first_example(name: str) -> str:
    """Return the program in a README that runs as it is."""
    text = (ROOT / "packages" / name / "README.md").read_text(encoding="utf-8")
    programs: list[str] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return next(code for code in programs if "asyncio.run(" in code)


def try_library(wheel: Path, python: Path, scratch: Path) -> None:
    """Install the library without any other package and use it."""
    others = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert others == {"streamcord"}, others
    run(python, "-m", "venv", "--without-pip", scratch)
    own = scratch / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", own, "install", "-qq", "--no-index", "--no-deps", wheel)
    assert "preview" in run(own, "-m", "streamcord", "--help")
    assert "preview" in run(scratch / "bin" / "streamcord", "--help")
    drawn = run(own, "-m", "streamcord", "preview", "-", stdin=ANSWER)
    assert "Sure! Here it is:" in drawn, drawn
    assert "Hello there." in run(own, "-c", first_example("streamcord"))
    run(
        own,
        "-c",
        "from importlib.resources import files as f; assert f('streamcord').joinpath('py.typed').is_file()",
    )
    run(
        own,
        "-c",
        "import asyncio, streamcord.store as s; asyncio.run(asyncio.wait_for(s.open_store('x'), 9))",
    )


def install_with_dependencies(scratch: Path, *wheels: str) -> Path:
    """Install wheels and all they depend on; return the folder of their commands."""
    run(sys.executable, "-m", "venv", "--without-pip", scratch)
    pip = [sys.executable, "-m", "pip", "--python", str(scratch / "bin" / "python"), "install", "-qq"]
    run(*pip, "--disable-pip-version-check", "-c", ROOT / "constraints.txt", *wheels)
    return scratch / "bin"


def main() -> int:
    print("wheel: building three, then trying each in a fresh environment (a minute)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        library, bot, twin = (
            build(name, scratch / "dist") for name in ("streamcord", "streamcord-bot", "discord-twin")
        )
        for version, python in find_pythons():
            try_library(library, python, scratch / version)
            print(f"wheel: {library.name} works alone on Python {version}", flush=True)
        commands = install_with_dependencies(scratch / "twin", str(twin))
        assert "usage: discord-twin" in run(commands / "discord-twin", "--help")
        browser = "f('discord_twin').rglob('*.html')"
        run(commands / "python", "-c", f"from importlib.resources import files as f; assert list({browser})")
        print(f"wheel: {twin.name} works", flush=True)
        commands = install_with_dependencies(scratch / "bot", str(library), str(twin), f"{bot}[demo]")
        shown = run(commands / "streamcord-bot", "demo", "--scripted", "--fast")
        assert "Ready in" in shown, shown
        print(f"wheel: {bot.name} works", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
