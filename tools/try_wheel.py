"""Build the package as a user would get it, and try it in an environment that has nothing else.

The source archive is built first and the wheel from it, so a file missing from the archive is noticed.
Tried with every supported Python that is on this machine, without an index: the core needs no package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
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


def build(target: Path) -> Path:
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", target, ROOT)
    (wheel,) = target.glob("*.whl")
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


def try_wheel(wheel: Path, python: Path, scratch: Path) -> None:
    run(python, "-m", "venv", "--without-pip", scratch)
    own = scratch / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", own, "install", "-qq", "--no-index", "--no-deps", wheel)
    assert "preview" in run(own, "-m", "streamcord", "--help")
    assert "preview" in run(scratch / "bin" / "streamcord", "--help")
    drawn = run(own, "-m", "streamcord", "preview", "-", stdin=ANSWER)
    assert "Sure! Here it is:" in drawn, drawn
    for part in ("py.typed", "_twin/page/browser/page.html", "_twin/page/browser/page.js"):
        there = (
            f"from importlib.resources import files; assert files('streamcord').joinpath('{part}').is_file()"
        )
        run(own, "-c", there)
    run(
        own,
        "-c",
        "import asyncio, streamcord.store as s; asyncio.run(asyncio.wait_for(s.open_store('x'), 9))",
    )


def main() -> int:
    print("wheel: building, then trying it in fresh environments (ten seconds)", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = build(Path(scratch, "dist"))
        for version, python in find_pythons():
            try_wheel(wheel, python, Path(scratch, version))
            print(f"wheel: {wheel.name} works on Python {version}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
