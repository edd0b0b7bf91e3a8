"""Every branch of the text pipeline must be covered by its own tests.

python tools/coverage_text.py            the whole pipeline
python tools/coverage_text.py spoilers   only modules whose path contains a word
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "packages/streamcord/src/streamcord/_text"
TESTS = ("tests/text", "tests/test_cases.py", "tests/turn/test_rich_answers.py")
"""A text that comes out wrong gets a golden page first (CONTRIBUTING.md); sources and pictures are tested as a turn."""


def main() -> int:
    words = sys.argv[1:]
    print("coverage: the text pipeline, by its tests (two minutes)", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        data, report = Path(scratch, "coverage"), Path(scratch, "report.json")
        options = ["--rcfile=", "--branch", f"--include={SOURCE}/*"]
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        run = _coverage(data, "run", *options, *tests)
        if run.returncode:
            print(run.stdout)
            return 1
        _coverage(data, "json", "-q", "-o", str(report))
        files = json.loads(report.read_text())["files"]
    gaps = 0
    for name, measured in sorted(files.items()):
        gap = _describe_gaps(measured)
        if gap and (not words or any(word in name for word in words)):
            gaps += 1
            print(f"  {Path(name).name:24} {gap}")
    print(f"coverage: {gaps} of {len(files)} modules have gaps" if gaps else "coverage: every branch")
    return bool(gaps)


def _coverage(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COVERAGE_FILE": str(data)}
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def _describe_gaps(measured: dict[str, Any]) -> str:
    """Lines that never run, and branches that are never taken as `from->to`."""
    lines = [str(line) for line in measured["missing_lines"]]
    branches = [f"{start}->{end}" for start, end in measured["missing_branches"]]
    parts = [f"lines {', '.join(lines)}"] * bool(lines) + [f"branches {', '.join(branches)}"] * bool(branches)
    return "misses " + "; ".join(parts) if parts else ""


if __name__ == "__main__":
    sys.exit(main())
