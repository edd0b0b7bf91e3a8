"""Brings `.venv` up to date for one purpose (`demo`, `dev`, `docs`) and says how far it is: `make` runs it.

Standard library only, since it runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

OLDEST = (3, 11)
WHAT = {
    "demo": "what the demo needs",
    "dev": "everything for tests and development",
    "docs": "what builds the docs",
}
FAILED = """\
streamcord: the packages could not be installed: {why}
  Without a network, pip can take them from a folder: PIP_FIND_LINKS=folder PIP_NO_INDEX=1 make {goal}
  All that pip said is in {log}"""


class Progress:
    """One line that is written over in a terminal; elsewhere a line every few seconds."""

    EVERY = 5.0

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        self._shown = time.monotonic()

    def show(self, words: str) -> None:
        now = time.monotonic()
        if self._is_terminal:
            print(f"\r\x1b[K  {words}"[: shutil.get_terminal_size().columns + 3], end="", flush=True)
        elif now - self._shown >= self.EVERY:
            self._shown = now
            print(f"  {words}", flush=True)

    def end(self) -> None:
        if self._is_terminal:
            print("\r\x1b[K", end="", flush=True)


def main(venv: Path, purpose: str) -> int:
    if sys.version_info < OLDEST and not is_whole(python_of(venv)):
        print("streamcord needs Python 3.11 or newer: make PYTHON=python3.12", file=sys.stderr)
        return 1
    print(f"Setting up {venv} with {WHAT[purpose]} (once) ...", flush=True)
    began = time.monotonic()
    progress = Progress()
    log = venv / "install.log"
    try:
        python = make_venv(venv, progress)
        downloaded, why = run_pip(python, purpose, log, progress)
    except (OSError, subprocess.CalledProcessError) as error:
        progress.end()
        print(f"streamcord: {venv} cannot be made: {reason(error)}", file=sys.stderr)
        return 1
    progress.end()
    if why:
        print(FAILED.format(why=why, goal="test" if purpose == "dev" else purpose, log=log), file=sys.stderr)
        return 1
    over = time.monotonic()
    print(
        f"Packages: downloaded after {downloaded - began:.1f} s, installed after {over - began:.1f} s; "
        f"{venv} has {size(venv) / 1e6:.0f} MB.",
        flush=True,
    )
    return 0


def make_venv(venv: Path, progress: Progress) -> Path:
    """The Python of the environment, which is created again if it is incomplete."""
    python = python_of(venv)
    if is_whole(python):
        return python
    progress.show("a virtual environment")
    made = run([sys.executable, "-m", "venv", "--clear", str(venv)])
    if made.returncode:
        raise OSError(last_line(made.stdout.splitlines()) or f"venv ended with {made.returncode}")
    return python


def python_of(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_whole(python: Path) -> bool:
    return python.exists() and run([str(python), "-m", "pip", "--version"]).returncode == 0


def run_pip(python: Path, purpose: str, log: Path, progress: Progress) -> tuple[float, str]:
    """Install; returns when everything was downloaded, and why it failed, if it did."""
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-color"]
    if purpose == "demo":
        command += ["--no-compile"]  # what is used is compiled when it is first used, which is much less
    command += ["--progress-bar", "off"]
    said: list[str] = []
    count, downloaded = 0, 0.0
    with log.open("w", encoding="utf-8") as file:
        for step in steps(purpose):
            with subprocess.Popen(
                [*command, *step], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            ) as pip:  # fmt: skip
                assert pip.stdout is not None
                for line in pip.stdout:
                    file.write(line)
                    said.append(line)
                    words = describe(line)
                    count += words.startswith("found")
                    if words.startswith("installing"):
                        downloaded = downloaded or time.monotonic()
                    if words:
                        progress.show(f"{count} package{'' if count == 1 else 's'}: {words}")
            if pip.returncode:
                return downloaded or time.monotonic(), last_line(said)
    return downloaded or time.monotonic(), ""


# What is installed in place, with the extras whose requirements are installed; others are groups of pyproject.toml.
EDITABLE = {
    "demo": ["streamcord[preview]", "streamcord-bot[demo]", "discord-twin"],
    "dev": [
        "streamcord[all,tables-cjk]",
        "streamcord-bot[demo,documents,mcp,postgres]",
        "discord-twin",
    ],
    "docs": [],
}


def steps(purpose: str) -> Iterator[list[str]]:
    """Yield pip's arguments for a purpose: what others made, with hashes, then what is in this checkout.

    pip compares hashes only if everything has one. `tools/constraints` writes these files.
    """
    yield ["--require-hashes", "-r", f"requirements/{purpose}.txt"]
    editable = [word for name in EDITABLE[purpose] for word in ("-e", f"packages/{name.partition('[')[0]}")]
    if editable:
        yield ["--no-deps", "--no-build-isolation", *editable]


_FOUND = re.compile(r"Collecting ([\w.-]+)")
_LOADED = re.compile(r"(?:Downloading|Using cached) (\S+?)-\d\S* (\([^)]*\))")


def describe(line: str) -> str:
    """What a line of pip tells a person who waits."""
    line = line.strip()
    found, loaded = _FOUND.match(line), _LOADED.match(line)
    if found:
        return f"found {found[1]}"
    if loaded:
        return f"downloading {loaded[1].rpartition('/')[2]} {loaded[2]}"
    if line.startswith("Installing collected packages"):
        return "installing"
    return ""


def last_line(lines: Iterable[str]) -> str:
    """The last line that names an error, else the last that says something."""
    said = [line.strip() for line in lines if line.strip() and "[notice]" not in line]
    errors = [line for line in said if line.startswith("ERROR:")]
    return (errors or said or [""])[-1].removeprefix("ERROR:").strip()[:300]


def reason(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
    except KeyboardInterrupt:
        print("\nStopped. The next time it goes on with what is there.", file=sys.stderr)
        sys.exit(130)
