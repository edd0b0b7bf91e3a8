"""The bot as a process: it begins, is told to end, and says in one line what keeps it from beginning."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from discord_twin import Twin
from streamcord_bot.config import BotConfig, LogConfig, read_config
from streamcord_bot.run import run, run_bot, set_up_logs
from twin.conftest import FREE


def config_for(server: str, folder: Path, token: str) -> BotConfig:
    table = {
        "store": str(folder / "bot.db"),
        "discord": {"server": server},
        "models": {"tiny": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"}},
        "personas": {"Luna": {"prompt": "You are Luna."}},
    }
    return read_config(table, {"DISCORD_TOKEN": token})


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
async def test_it_runs_until_a_signal_ends_it_and_logs_which(
    ending: signal.Signals, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "streamcord_bot")
    async with Twin(FREE) as twin:
        running = asyncio.create_task(run_bot(config_for(twin.base_url, tmp_path, twin.token)))
        await twin.until(lambda: twin.bot.commands, 20)
        await twin.ready(20)
        os.kill(os.getpid(), ending)
        async with asyncio.timeout(20):
            await running

        names = {command["name"] for command in twin.bot.commands.values()}
        assert {"stop", "why", "Why?", "model", "help", "persona", "settings", "memory"} <= names
    assert f"shutting down: received {ending.name}" in caplog.messages


async def test_it_ends_without_a_word_while_it_waits_for_its_network(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # no one listens
        config = config_for(f"http://127.0.0.1:{taken.getsockname()[1]}", tmp_path, "a.token.here")
        running = asyncio.create_task(run_bot(config))
        async with asyncio.timeout(20):
            while "cannot be reached" not in caplog.text:  # noqa: ASYNC110  (logs tell no one)
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGTERM)
            assert await running is False

    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_g05_a_wrong_token_is_said_in_one_line_and_not_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Twin(FREE) as twin:
        status = await asyncio.to_thread(run, config_for(twin.base_url, tmp_path, "wrong.token.here"))

    said = capsys.readouterr().err
    assert status == 2  # which the unit of systemd does not start again
    assert "refused the token" in said
    assert "Traceback" not in said
    assert "wrong.token" not in said
    assert (twin.gateway.identifies, twin.log.count(status=401)) == (0, 1)


async def test_restart_does_not_help_a_damaged_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.db").write_bytes(b"this is no database at all, but long enough to be read" * 20)
    status = await asyncio.to_thread(run, config_for("http://127.0.0.1:9", tmp_path, "a.token.here"))

    said = capsys.readouterr().err
    assert status == 2
    assert "is not a database of streamcord" in said
    assert ".;" not in said


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    names = ("discord", "aiohttp", "asyncio")
    root, levels = logging.getLogger(), [logging.getLogger(name).level for name in names]
    before, handlers = root.level, root.handlers[:]
    yield
    root.handlers[:] = handlers
    root.setLevel(before)
    for name, level in zip(names, levels, strict=True):
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("level", "ours", "theirs"),
    [("debug", logging.DEBUG, logging.INFO), ("error", logging.ERROR, logging.ERROR)],
)
def test_levels(level: str, ours: int, theirs: int) -> None:
    set_up_logs(LogConfig(level=level))  # type: ignore[arg-type]

    assert logging.getLogger("streamcord_bot").getEffectiveLevel() == ours
    assert logging.getLogger("discord.http").getEffectiveLevel() == theirs
