"""`/health` and `streamcord-bot health`: what they say before, while and after the bot hears Discord."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from bot.stage import on_stage
from streamcord.testing import ScriptedProvider
from streamcord_bot.cli import main
from streamcord_bot.config import LogConfig
from streamcord_bot.ops import health
from streamcord_bot.ops.health import ask_health, describe_health
from streamcord_bot.ops.metrics import Metrics, serve_metrics
from twin.conftest import FREE


async def test_a_bot_that_hears_discord_is_well_and_one_that_ends_is_not() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        assert describe_health(stage.bot) == (True, "ok: 1 server")
        assert describe_health(stage.bot, ("main", "other"), ["main"])[0]
        reason = "every model failed several times in a row and is paused: main, other"
        assert describe_health(stage.bot, ("main", "other"), ["other", "main"]) == (False, reason)
        await stage.bot.close()
        assert describe_health(stage.bot) == (False, "the bot is ending")


async def test_a_gateway_that_acknowledges_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "ACK_TIMEOUT_S", 0.3)
    switches = replace(FREE, heartbeat_interval_s=0.2, heartbeat_ack_s=0.0)
    async with on_stage(ScriptedProvider(), switches=switches) as stage:
        assert describe_health(stage.bot) == (True, "ok: 1 server")
        stage.twin.configure(heartbeat_acks=False)
        async with asyncio.timeout(10):
            while describe_health(stage.bot)[0]:  # noqa: ASYNC110 - a silence is no event
                await asyncio.sleep(0.02)
        reason = describe_health(stage.bot)[1]

    assert reason == "1 of 1 connections to Discord get no answer"


@pytest.mark.parametrize("well", [True, False])
async def test_it_is_asked_over_http(well: bool) -> None:
    async with serve_metrics(Metrics(), 0, "127.0.0.1", lambda: (well, "so it is")) as port:
        config = LogConfig(metrics_port=port, metrics_host="0.0.0.0")

        assert await asyncio.to_thread(ask_health, config) == (well, "so it is")


def test_nobody_to_ask_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        well, words = ask_health(LogConfig(metrics_port=port))

    assert (well, words) == (False, f"the bot does not answer on 127.0.0.1, port {port}: is it running?")


async def test_the_command_tells_by_its_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "streamcord.toml"
    config.write_text("[log]\nmetrics_port = 1\n", encoding="utf-8")
    async with serve_metrics(Metrics(), 0) as port:
        monkeypatch.setenv("STREAMCORD_METRICS_PORT", str(port))
        assert await asyncio.to_thread(main, ["health", "--config", str(config)]) == 0
    assert capsys.readouterr().out == "ok\n"

    assert main(["health", "--config", str(config)]) == 1
    monkeypatch.setenv("STREAMCORD_METRICS_PORT", "0")
    assert main(["health", "--config", str(config)]) == 2
    assert capsys.readouterr().err == (
        "streamcord-bot: no address to ask: set metrics_port in [log], or STREAMCORD_METRICS_PORT\n"
    )
    assert main(["health", "--config", str(tmp_path / "none.toml")]) == 2
