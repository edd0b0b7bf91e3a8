"""Two programs of this folder run with the packages of the development environment; `tools/frameworks.py` runs all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = {"anthropic_tool_runner": "anthropic.lib.tools", "google_streams": "google.genai"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stream_of_a_framework_is_read_character_by_character(name: str) -> None:
    pytest.importorskip(PROGRAMS[name])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / f"{name}.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "COVERAGE_PROCESS_START": ""},
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert "characters" in done.stdout
