"""Hypothesis profiles: the default one repeats itself and is short, `long` is long and never the same."""

from __future__ import annotations

import json
import logging
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from streamcord.utils import TEXT_LOGGER

# A shell ignores Ctrl-C in what it runs in the background, and processes inherit that: our tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")

settings.register_profile(
    "default",
    max_examples=2000,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "long",
    parent=settings.get_profile("default"),
    max_examples=100_000,
    derandomize=False,
    print_blob=True,
)
settings.register_profile("quick", parent=settings.get_profile("default"), max_examples=200)
settings.load_profile(PROFILE)


DISCORD_API = Path(__file__).parent.parent.parent / "shared" / "discord" / "openapi.json"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Compare every local Discord with Discord's own description, if that file is beside the checkout."""
    if DISCORD_API.is_file() and not config.getoption("--discord-api"):
        config.option.discord_api = str(DISCORD_API)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest come first, so that no core waits at the end; a long run of the invariants has no time limit."""
    items.sort(key=lambda item: item.path.name != "test_invariants.py")
    if PROFILE == "long":
        for item in items:
            item.add_marker(pytest.mark.timeout(0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """After the fault schedules: how often each fault struck."""
    told = [
        dict(report.user_properties)
        for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        if report.when == "call"
    ]
    played = [found for found in told if "faults" in found]
    if played:
        from schedules.report import table  # noqa: PLC0415 - only where they were played

        fired: Counter[str] = sum((Counter(json.loads(str(one["faults"]))) for one in played), Counter())
        count = sum(int(str(one["schedules"])) for one in played)
        terminalreporter.write_line(f"{count} fault schedules; each fault and switch struck so often:")
        for line in table(fired):
            terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def root_log() -> Iterator[None]:
    """No test leaves a log behind that the next one would write into."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    # The bot sets it when it starts; it decides whether debug lines quote words of people.
    text_level = logging.getLogger(TEXT_LOGGER).level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger(TEXT_LOGGER).setLevel(text_level)
