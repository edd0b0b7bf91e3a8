"""The bot of a configuration, from its file to its end."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from streamcord._bot.config.config import read_config
from streamcord._bot.run_bot import run, run_bot
from streamcord.twin import Twin
from twin.conftest import FREE


def config_for(twin: Twin, folder: Path, token: str = "") -> Any:
    table = {
        "store": str(folder / "bot.db"),
        "discord": {"server": twin.base_url},
        "models": {"tiny": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"}},
        "personas": {"Luna": {"prompt": "You are Luna."}},
    }
    return read_config(table, {"DISCORD_TOKEN": token or twin.token})


async def test_it_runs_until_a_signal_ends_it(tmp_path: Path) -> None:
    async with Twin(FREE) as twin:
        running = asyncio.create_task(run_bot(config_for(twin, tmp_path)))
        await twin.until(lambda: twin.bot.commands, 20)
        await twin.ready(20)
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(20):
            await running

        names = {command["name"] for command in twin.bot.commands.values()}
        assert {"stop", "why", "Why?", "model", "help", "persona", "settings", "memory"} <= names


async def test_g05_a_wrong_token_is_said_in_one_line_and_not_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Twin(FREE) as twin:
        status = await asyncio.to_thread(run, config_for(twin, tmp_path, "wrong.token.here"))

    said = capsys.readouterr().err
    assert status == 1
    assert "refused the token" in said
    assert "Traceback" not in said
    assert "wrong.token" not in said
    assert (twin.gateway.identifies, twin.log.count(status=401)) == (0, 1)
