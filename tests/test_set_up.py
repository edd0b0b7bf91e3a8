"""What `make` says while it installs, and what it installs for whom."""

from __future__ import annotations

import re
import stat
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

import set_up  # noqa: E402

SAID = """\
Obtaining file:///clone
Collecting discord.py<3,>=2.7.1
  Downloading discord_py-2.7.1-py3-none-any.whl (1.2 MB)
Collecting rich>=14
  Using cached rich-15.0.0-py3-none-any.whl (310 kB)
Installing collected packages: rich, discord.py
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Collecting aiohttp<4,>=3.7.4", "found aiohttp"),
        ("  Downloading pillow-13.0.0-cp311.whl (6.9 MB)", "downloading pillow (6.9 MB)"),
        ("  Downloading https://index/a/b/rich-15.0.0.whl (310 kB)", "downloading rich (310 kB)"),
        ("  Using cached idna-3.20-py3-none-any.whl (70 kB)", "downloading idna (70 kB)"),
        ("Installing collected packages: a, b", "installing"),
        ("Looking in indexes: somewhere", ""),
    ],
)
def test_a_line_of_pip_is_told_in_a_few_words(line: str, words: str) -> None:
    assert set_up.describe(line) == words


def fake_pip(folder: Path, status: int, said: str) -> Path:
    """A program in the place of a virtual environment's Python; it says nothing in the second step."""
    file = folder / "python"
    said = f"print('' if '--no-deps' in sys.argv else {said!r})"
    file.write_text(f"#!{sys.executable}\nimport sys\n{said}\nsys.exit({status})\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def test_progress_is_shown_and_everything_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(set_up.Progress, "EVERY", 0.0)
    log = tmp_path / "log"

    downloaded, why = set_up.run_pip(fake_pip(tmp_path, 0, SAID), "demo", log, set_up.Progress())

    assert why == ""
    assert downloaded > 0
    assert capsys.readouterr().out.splitlines() == [
        "  1 package: found discord.py",
        "  1 package: downloading discord_py (1.2 MB)",
        "  2 packages: found rich",
        "  2 packages: downloading rich (310 kB)",
        "  2 packages: installing",
    ]
    assert "Obtaining" in log.read_text()


def test_why_it_failed_is_one_line(tmp_path: Path) -> None:
    said = "ERROR: Could not find a version\nERROR: No matching distribution found for rich\n[notice] new pip"

    _, why = set_up.run_pip(fake_pip(tmp_path, 1, said), "demo", tmp_path / "log", set_up.Progress())

    assert why == "No matching distribution found for rich"


def test_half_an_environment_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    half = fake_pip(tmp_path / "bin", 1, "No module named pip")

    assert set_up.python_of(tmp_path) == half
    assert not set_up.is_whole(half)
    assert not set_up.is_whole(tmp_path / "nowhere")
    assert set_up.is_whole(Path(sys.executable))


def test_a_folder_that_cannot_be_made_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")

    assert set_up.main(tmp_path / "file" / ".venv", "demo") == 1
    assert "cannot be made" in capsys.readouterr().err


def test_the_demo_and_the_tests_bring_their_own() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert re.search(r"^\$\(STAMP\):.*\n\t@.*set_up\.py \$\(VENV\) dev$", makefile, re.MULTILINE)
    assert re.search(r"^demo: ##.*\n\t@if .* \$\(DEMO_STAMP\);", makefile, re.MULTILINE)
    assert re.search(r"^test: \$\(STAMP\)", makefile, re.MULTILINE)
    # Nor does the library run on a Python that set_up.py has just refused.
    assert re.search(
        r"elif .*version_info < \(3, 11\)\)'; \\\n\t\tthen PYTHONPATH=\$\(SOURCES\) exec", makefile
    )
