"""A twin can be Discord as it was on a day, and a test suite can be run on two days."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from discord_twin import CHANGES, Change, TwinOptions
from discord_twin.cli import main
from discord_twin.drift import Outcome, compare, read_report


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.option)
def test_an_option_changes_on_its_day(change: Change) -> None:
    new = getattr(TwinOptions(), change.option)
    assert getattr(TwinOptions(as_of=str(change.since)), change.option) == new != change.before
    assert getattr(TwinOptions(as_of=str(change.since - timedelta(days=1))), change.option) == change.before


def test_a_value_of_ones_own_wins_over_the_day() -> None:
    assert TwinOptions(as_of="2020-01-01", max_menu_commands=7).max_menu_commands == 7


def test_the_day_is_kept_without_rate_limits() -> None:
    assert not TwinOptions.without_limits(as_of="2026-11-15").obfuscate_channels


def test_the_environment_sets_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TWIN_AS_OF", "2026-11-15")
    assert not TwinOptions().obfuscate_channels


def test_changes_are_in_order_and_have_a_source() -> None:
    assert [*CHANGES] == sorted(CHANGES)
    assert [one for one in CHANGES if not one.source.startswith("https://")] == []


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="write it as 2026-11-16"):
        TwinOptions(as_of="yesterday")


SUITE = """\
from discord_twin import TwinOptions

def test_hidden():
    assert TwinOptions().obfuscate_channels, "names of hidden channels are shown"

def test_other():
    assert True
"""


def test_drift_names_the_tests_that_change(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "test_suite.py"
    suite.write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(suite)]

    assert main(["drift", "--since", "2026-11-15", "--until", "2026-11-16", "--", *command]) == 1

    out = capfd.readouterr().out
    assert "Discord changed 1 times after 2026-11-15" in out
    assert "test_hidden: failed -> passed" in out
    assert "names of hidden channels are shown" in out
    assert "test_other:" not in out


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        (
            "import os, sys; sys.exit(os.environ['DISCORD_TWIN_AS_OF'] > '2026-11-15')",
            1,
            "exit status: 0 -> 1",
        ),
        ("", 0, "0 differences"),
    ],
)
def test_drift_compares_the_status_of_other_commands(
    program: str, status: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", program]
    assert main(["drift", "--since", "2026-11-15", "--until", "2026-11-16", "--", *command]) == status
    assert said in capfd.readouterr().out


def test_drift_says_that_a_command_does_not_exist(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["drift", "--", "no-such-command"]) == 2
    assert "cannot run no-such-command" in capfd.readouterr().out


def test_a_report_is_read(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite><testcase classname='a.b' name='one'/>"
        "<testcase classname='a' name='two'><skipped message='no browser'/></testcase>"
        "<testcase name='three'><error message='first line&#10;second'/></testcase></testsuite></testsuites>"
    )
    read = read_report(report)
    assert read == {
        "a/b::one": Outcome("passed"),
        "a::two": Outcome("skipped", "no browser"),
        "three": Outcome("failed", "first line"),
    }
    assert compare(read, {"a/b::one": Outcome("passed")}) == [
        "a::two: skipped -> not run  no browser",
        "three: failed -> not run  first line",
    ]
