"""What time it is, whatever the clock of the machine says."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest

from streamcord._bot.operating.discord_clock import DiscordClock
from streamcord._bot.operating.reaching import set_clock, wait_for_discord
from streamcord.twin import Twin

TRUE = 1_800_000_000.0
"""What time it is in these tests, by Discord's clock."""


class Machine:
    """Its clock, which may be set, and the seconds since it was turned on, which may not."""

    def __init__(self, wrong: float = 0.0) -> None:
        self.wall, self.steady = TRUE + wrong, 500.0
        self.clock = DiscordClock(lambda: self.wall, lambda: self.steady)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


@pytest.mark.parametrize("wrong", [0.0, 300.0, 10_800.0, 90_000.0, -90_000.0, -TRUE])
def test_what_discord_says_counts(wrong: float) -> None:
    machine = Machine(wrong)
    assert machine.clock() == TRUE + wrong
    machine.clock.set_by(formatdate(TRUE, usegmt=True))
    assert machine.clock() == TRUE


def test_a_clock_that_is_set_while_the_bot_runs_changes_nothing() -> None:
    machine = Machine()
    machine.clock.set_by(formatdate(TRUE, usegmt=True))
    for jump in (3600.0, -7200.0, 90_000.0, -TRUE):
        machine.wall += jump
        before = machine.clock()
        machine.wait(5.0)
        assert machine.clock() == before + 5.0


@pytest.mark.parametrize("date", ["", "yesterday", "Wed, 99 Nov 2026 00:00:00 GMT", "1" * 5000, "\x00"])
def test_what_is_no_date_changes_nothing(date: str) -> None:
    machine = Machine(60.0)
    machine.clock.set_by(date)
    assert machine.clock() == machine.wall


@pytest.mark.parametrize(
    ("wrong", "words"),
    [(90.0, "2 minutes ahead"), (-3600.0, "60 minutes behind"), (30.0, ""), (-30.0, "")],
)
def test_the_operator_is_told_of_a_clock_that_is_wrong(
    wrong: float, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    Machine(wrong).clock.set_by(formatdate(TRUE, usegmt=True))
    assert words in caplog.text
    assert bool(caplog.records) == bool(words)


async def test_discord_is_asked_again_after_a_while_and_not_before() -> None:
    machine, asked = Machine(), 0

    async def ask() -> None:
        nonlocal asked
        asked += 1
        machine.clock.set_by(formatdate(TRUE, usegmt=True))

    await machine.clock.check()
    machine.clock.ask = ask
    await machine.clock.check()
    await machine.clock.check()
    assert asked == 1
    machine.wait(61.0)
    await machine.clock.check()
    assert asked == 2


async def test_who_waits_for_discord_learns_what_time_it_is() -> None:
    clocks = [DiscordClock(lambda: time.time() + 90_000) for _ in range(3)]
    async with Twin() as twin:
        assert await wait_for_discord(twin.base_url, asyncio.Event(), clocks[0])
        await set_clock(twin.base_url, clocks[1])
        away = twin.base_url
    await set_clock(away, clocks[2])

    assert [round(clock() - time.time(), -1) for clock in clocks] == [0.0, 0.0, 90_000.0]
