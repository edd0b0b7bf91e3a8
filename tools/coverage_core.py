"""Every file of the text core must be covered to the last branch by its own test file.

A whole run hides a file whose lines are only touched by other files' tests, so each file is measured alone:
src/streamcord/_core/rules/orphans.py by tests/core/rules/test_held_words.py, and by nothing else.

    python tools/coverage_core.py            all files
    python tools/coverage_core.py capture    those whose path contains a word
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CORE = ROOT / "src" / "streamcord" / "_core"
TESTS = ROOT / "tests" / "core"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one file's own tests reach; `fault` is empty if that is everything."""

    path: Path
    fault: str
    details: str = ""


def source_files() -> list[Path]:
    """Every file with code in it; a package that only has a docstring has nothing to cover."""
    return [
        path
        for path in sorted(CORE.rglob("*.py"))
        if path.name != "__init__.py" or "import" in path.read_text()
    ]


def test_file_of(path: Path) -> Path:
    inner = path.relative_to(CORE)
    return TESTS / inner.parent / f"test_{inner.name}"


def measure(path: Path) -> Verdict:
    test = test_file_of(path)
    if not test.exists():
        return Verdict(path, f"has no test file {test.relative_to(ROOT)}")
    with tempfile.TemporaryDirectory() as scratch:
        book, report = Path(scratch, "coverage"), Path(scratch, "report.json")
        # The project's own settings measure the whole package; here one file counts, so the run knows none.
        measured_only = ["--rcfile=", "--branch", f"--include={path}"]
        run = _python(book, "run", *measured_only, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test))
        if run.returncode:
            return Verdict(path, "its tests fail", run.stdout)
        _python(book, "json", "-q", f"--include={path}", "-o", str(report))
        if not report.exists():
            return Verdict(path, f"is not even imported by {test.relative_to(ROOT)}")
        (measured,) = json.loads(report.read_text())["files"].values()
    return Verdict(path, _describe_gaps(measured))


def _python(book: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COVERAGE_FILE": str(book)}
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def _describe_gaps(measured: dict[str, Any]) -> str:
    """Lines never run, and branches never taken as `from->to`; a negative end leaves the function."""
    lines = [str(line) for line in measured["missing_lines"]]
    branches = [f"{start}->{end}" for start, end in measured["missing_branches"]]
    parts = [f"lines {', '.join(lines)}"] * bool(lines) + [f"branches {', '.join(branches)}"] * bool(branches)
    return "misses " + "; ".join(parts) if parts else ""


def main() -> int:
    words = sys.argv[1:]
    files = [path for path in source_files() if not words or any(word in str(path) for word in words)]
    print(f"coverage: {len(files)} files of core/, each by its own tests (a minute or two)", flush=True)
    faults = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for number, verdict in enumerate(pool.map(measure, files), 1):
            name = verdict.path.relative_to(CORE)
            print(f"  {number:2}/{len(files)} {name!s:24} {verdict.fault or '100 %'}", flush=True)
            if verdict.details:
                print(verdict.details)
            faults += bool(verdict.fault)
    print(f"coverage: {faults} of {len(files)} files are not covered" if faults else "coverage: every branch")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
