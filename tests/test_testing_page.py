"""Tests on the page about testing are files that run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import streamcord

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
TESTS = sorted((ROOT / "examples").glob("test_*.py"))


def test_every_test_on_the_page_is_an_example_and_every_example_is_named() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    shown = {block for block in blocks if re.search(r"\bTest\w+|def test_", block)}

    assert len(shown) == 4
    assert shown <= {path.read_text(encoding="utf-8") for path in TESTS}
    assert [path.name for path in TESTS if f"examples/{path.name}" not in PAGE] == []


def test_the_examples_pass_as_they_stand(tmp_path: Path) -> None:
    for path in TESTS:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    [asked] = re.findall(r"^```python\n(pytest_plugins = .*\n)```$", PAGE, re.MULTILINE)
    (tmp_path / "conftest.py").write_text(asked, encoding="utf-8")
    source = str(Path(streamcord.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    options = ["-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )

    assert done.returncode == 0, done.stdout
    assert re.search(r"\b\d{2} passed", done.stdout)
