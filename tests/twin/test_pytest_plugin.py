"""The fixtures, used as a user's own tests use them."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path

import discord
import pytest
from discord.ext import commands

from discord_twin import Channel, DrivenClock, FakeUser, Limit, Twin, TwinOptions
from discord_twin.discord_py import make_client

PROJECT = Path(__file__).parents[2] / "packages" / "discord-twin" / "pyproject.toml"
OTHERS = """
def test_a_fixture_that_the_project_forgot(NAME):
    pass
"""

Run = Callable[[discord.Client], Awaitable[discord.Client]]


async def test_every_test_has_a_twin_of_its_own(twin: Twin) -> None:
    assert twin.is_listening
    assert twin.channel.texts == []
    assert len(twin.state.guilds) == 1


async def test_a_client_is_ready(twin: Twin, twin_client: discord.Client) -> None:
    channel = twin_client.get_partial_messageable(twin.channel.id)
    for number in range(12):
        await channel.send(str(number))

    assert twin.channel.texts == [str(number) for number in range(12)]
    assert twin.log.count(status=429) == 0
    assert twin_client.get_channel(twin.channel.id) is not None


async def test_a_bot_of_ones_own_answers(twin: Twin, run_on_twin: Run) -> None:
    bot = make_client()

    @bot.event
    async def on_message(message: discord.Message) -> None:
        if not message.author.bot:
            await message.reply(f"you said {message.content}")

    assert await run_on_twin(bot) is bot
    twin.say(twin.channel, twin.user, "hello")

    assert (await twin.next_message()).content == "you said hello"


async def test_a_bot_that_cannot_start_says_why(twin: Twin, run_on_twin: Run) -> None:
    twin.configure(message_content_intent=False)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await run_on_twin(make_client())


async def test_a_bot_that_closes_before_it_is_ready_is_no_hang(run_on_twin: Run) -> None:
    class Shy(discord.Client):
        async def start(self, token: str, *, reconnect: bool = True) -> None:
            await self.close()

    with pytest.raises(RuntimeError, match="before it was ready"):
        await run_on_twin(Shy(intents=discord.Intents.none()))


class TestWithFixturesOfItsOwn:
    @pytest.fixture
    def twin_options(self) -> TwinOptions:
        return TwinOptions(other_bucket=Limit(7, 1.0))

    @pytest.fixture
    def twin_clock(self) -> DrivenClock:
        return DrivenClock()

    async def test_switches_and_clock_can_be_replaced(self, twin: Twin, twin_clock: DrivenClock) -> None:
        assert twin.options.other_bucket == Limit(7, 1.0)
        assert twin.clock is twin_clock


async def test_a_twin_is_there_in_less_than_50_ms(twin_options: TwinOptions) -> None:
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        async with Twin(twin_options):
            best = min(best, time.perf_counter() - start)
        if best < 0.05:
            break

    assert best < 0.05


async def test_a_person_is_there_and_acts(twin: Twin, twin_user: FakeUser, twin_channel: Channel) -> None:
    twin_user.say("hello")

    assert twin_channel.texts == ["hello"]
    assert twin_channel is twin.channel


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of another project; no plugin of an installed distribution is loaded but pytest-asyncio."""
    options = ["-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def test_installing_the_twin_adds_no_plugin_to_other_test_suites() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]

    assert "entry-points" not in project


@pytest.mark.parametrize("name", ["twin", "twin_user", "run_on_twin"])
def test_fixtures_exist_only_where_the_plugin_was_asked_for(name: str, tmp_path: Path) -> None:
    (tmp_path / "test_others.py").write_text(OTHERS.replace("NAME", name), encoding="utf-8")

    without = run_pytest(tmp_path)
    with_option = run_pytest(tmp_path, "-p", "discord_twin.pytest_plugin")
    (tmp_path / "conftest.py").write_text(
        'pytest_plugins = ["discord_twin.pytest_plugin"]\n', encoding="utf-8"
    )
    with_conftest = run_pytest(tmp_path)

    assert f"fixture '{name}' not found" in without.stdout
    assert [run.returncode for run in (without, with_option, with_conftest)] == [1, 0, 0]


def test_common_fixture_names_belong_to_the_project(tmp_path: Path) -> None:
    names = ["user", "channel", "person", "run_bot", "client", "bot", "message"]
    for name in names:
        (tmp_path / f"test_{name}.py").write_text(OTHERS.replace("NAME", name), encoding="utf-8")

    done = run_pytest(tmp_path, "-p", "discord_twin.pytest_plugin")

    assert [name for name in names if f"fixture '{name}' not found" not in done.stdout] == []


BROKEN = """
import pytest
from discord.ext import commands
from discord_twin.discord_py import make_client

@pytest.fixture
async def bot(twin, run_on_twin):
    bot = commands.Bot("!", intents=make_client().intents, guild_ready_timeout=0)

    @bot.event
    async def on_message(message):
        if message.content == "event":
            raise ZeroDivisionError("in an event")
        await bot.process_commands(message)

    @bot.command()
    async def broken(_):
        raise ZeroDivisionError("in a command")

    return await run_on_twin(bot)

@pytest.mark.parametrize("said", ["event", "!broken"])
async def test_wait(twin, bot, said):
    twin.say(twin.channel, twin.user, said)
    await twin.next_message()

async def test_error_that_no_wait_saw(twin, bot):
    twin.say(twin.channel, twin.user, "event")
    await twin.until(lambda: twin.bot_errors)
"""


def test_error_of_the_bot_fails_the_test_at_once(tmp_path: Path) -> None:
    (tmp_path / "test_bot.py").write_text(BROKEN, encoding="utf-8")

    done = run_pytest(tmp_path, "-p", "discord_twin.pytest_plugin")

    assert re.search(r"2 failed, 1 passed,.* 1 error", done.stdout)
    assert "ZeroDivisionError: in an event" in done.stdout
    assert "ZeroDivisionError: in a command" in done.stdout
    assert "never came" not in done.stdout


async def test_mistake_of_a_user_is_no_error_of_the_bot(
    twin: Twin, run_on_twin: Run, caplog: pytest.LogCaptureFixture
) -> None:
    bot = commands.Bot("!", intents=make_client().intents, guild_ready_timeout=0)
    caplog.set_level(logging.ERROR, "discord")
    await run_on_twin(bot)
    twin.say(twin.channel, twin.user, "!unknown")

    await twin.until(lambda: "CommandNotFound" in caplog.text)

    assert twin.bot_errors == []
