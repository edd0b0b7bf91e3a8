"""`streamcord-bot init`, `check` and `run`, run as an operator runs them."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from discord_twin import Twin
from source_path import SOURCE_PATH
from streamcord.providers import PRESETS
from streamcord_bot.cli import COMMANDS, ask_line, main
from streamcord_bot.config import LogConfig
from streamcord_bot.ops.health import ask_health

CLEAN = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}


def run(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "streamcord_bot", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**CLEAN, "PYTHONPATH": SOURCE_PATH, **environment},
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_help_names_every_command_and_each_has_examples(tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "--help")

    assert status == 0
    assert [command.name for command in COMMANDS if command.name not in out] == []
    assert "streamcord-bot run" in out
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    assert all(command.summary and command.examples for command in COMMANDS)


def test_init_asks_writes_and_says_what_is_next_and_check_finds_what_is_missing(tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "init", stdin="ollama\n\nqwen3\nRex\n\n3\n")
    assert status == 0
    assert "Provider (openai, " in out
    assert "  streamcord-bot check\n  streamcord-bot run\n" in out
    assert 'name = "Rex"' in (tmp_path / "streamcord.toml").read_text(encoding="utf-8")

    status, out, _ = run(tmp_path, "check", "--offline")
    assert status == 1
    assert "ok     file       streamcord.toml is valid" in out
    assert "wrong  token      DISCORD_TOKEN is not set" in out
    assert "export DISCORD_TOKEN=" in out
    assert out.splitlines()[-1].startswith(
        "1 to fix. Next: DISCORD_TOKEN is not set. Copy it from discord.com/developers"
    )

    status, out, _ = run(tmp_path, "check", "--offline", DISCORD_TOKEN="a-token")
    assert status == 0
    assert "No problems" in out
    assert "a-token" not in out


def test_init_does_not_write_over_a_file_nor_half_a_file(tmp_path: Path) -> None:
    assert run(tmp_path, "init", stdin="openai\n")[0] == 2
    assert list(tmp_path.iterdir()) == []

    assert run(tmp_path, "init", "--yes")[0] == 0
    status, out, error = run(tmp_path, "init")
    assert (status, out) == (2, "")  # no one is asked in vain
    assert "--force" in error
    assert run(tmp_path, "init", "--yes", "--force", "--persona", "Rex")[0] == 0


def test_the_bot_does_not_start_without_a_file_or_a_token(tmp_path: Path) -> None:
    status, _, error = run(tmp_path, "run")
    assert status == 2
    assert "streamcord-bot init" in error

    run(tmp_path, "init", "--yes")
    status, _, error = run(tmp_path, "run")
    assert status == 2
    assert "DISCORD_TOKEN is not set" in error


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_file_that_is_wrong_is_told_in_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "streamcord.toml"
    path.write_text("[models.main]\nprovider = 'gpt'\n", encoding="utf-8")

    assert main([command, "--config", str(path)]) in {1, 2}
    told = capsys.readouterr()
    assert "models.main.provider must be one of openai" in told.out + told.err


def test_a_bot_without_a_model_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "streamcord.toml").write_text("", encoding="utf-8")

    status, _, err = run(tmp_path, "run", DISCORD_TOKEN="x")

    assert (status, err) == (2, "streamcord-bot: the file names no model; `streamcord-bot check` says more\n")


def test_check_reads_the_cards_of_the_file(tmp_path: Path) -> None:
    text = '[personas.isolde]\ncard = "isolde.png"\n'
    (tmp_path / "streamcord.toml").write_text(text, encoding="utf-8")

    status, out, _ = run(tmp_path, "check", "--offline")

    assert status == 1
    assert "wrong  card       isolde.png of isolde: No such file or directory\n" in out


def test_long_questions_are_wrapped_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdin", io.StringIO("google-interactions\n"))
    question = f"Provider ({', '.join(PRESETS)}) [openai]: "

    assert ask_line(question) == "google-interactions"
    shown = capsys.readouterr().out
    assert shown.replace("\n", " ") == question
    assert max(map(len, shown.split("\n"))) <= 40


@pytest.mark.parametrize("command", [["init"], ["demo", "--scripted", "--fast"]])
def test_input_that_is_closed_is_input_without_a_word(command: list[str], tmp_path: Path) -> None:
    words = " ".join([sys.executable, "-m", "streamcord_bot", *command])
    done = subprocess.run(
        ["sh", "-c", f"exec {words} <&-"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**CLEAN, "PYTHONPATH": SOURCE_PATH},
        check=False,
        timeout=60,
    )

    assert "Traceback" not in done.stderr
    assert ("the answers ended early" in done.stderr) is (command == ["init"])
    assert done.returncode == (2 if command == ["init"] else 0)


async def test_a_bot_that_starts_before_its_discord_waits_for_it(tmp_path: Path) -> None:
    with socket.socket() as probe, socket.socket() as other:
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        door, metrics = probe.getsockname()[1], other.getsockname()[1]
    file = tmp_path / "bot.toml"
    file.write_text(
        f'store = "{tmp_path / "bot.db"}"\n[discord]\nserver = "http://127.0.0.1:{door}"\n'
        f'[log]\nmetrics_port = {metrics}\n[models.main]\nprovider = "ollama"\nmodel = "m"\n',
        encoding="utf-8",
    )
    log_config = LogConfig(metrics_port=metrics)
    async with Twin() as twin:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "streamcord_bot", "run", "--config", str(file),
            stderr=asyncio.subprocess.PIPE,
            env={**CLEAN, "PYTHONPATH": SOURCE_PATH, "DISCORD_TOKEN": twin.token},
        )  # fmt: skip
        try:
            assert process.stderr is not None
            await asyncio.wait_for(process.stderr.readuntil(b"trying again in 1 s"), 30)
            waiting = await asyncio.to_thread(ask_health, log_config)
            async with passing_on(door, twin):
                log = await asyncio.wait_for(process.stderr.readuntil(b"ready: servers 1"), 30)
                well = await asyncio.to_thread(ask_health, log_config)
                process.send_signal(signal.SIGTERM)
                await asyncio.wait_for(process.communicate(), 20)
        finally:
            if process.returncode is None:
                process.kill()

    assert waiting == (False, "waiting for Discord")
    assert b"Discord can be reached after" in log
    assert well == (True, "ok: 1 server")
    assert process.returncode == 0


@asynccontextmanager
async def passing_on(port: int, twin: Twin) -> AsyncIterator[None]:
    """The network that comes up: what arrives at a port goes to the twin, and back."""
    home = urlsplit(twin.base_url)

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(home.hostname, home.port)
        await asyncio.gather(copy(reader, back), copy(there, writer))

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while content := await reader.read(65536):
                writer.write(content)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(join, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()


async def test_a_bot_runs_as_a_service_answers_counts_and_ends_when_told(tmp_path: Path) -> None:
    async def speak(_: web.Request) -> web.Response:
        said = b'{"choices":[{"delta":{"content":"Purr, said the cat."},"finish_reason":"stop"}]}'
        return web.Response(body=b"data: " + said + b"\n\ndata: [DONE]\n\n", content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", speak)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with Twin() as twin, TestServer(app) as model, aiohttp.ClientSession() as session:
        file = tmp_path / "bot.toml"
        file.write_text(
            f'store = "{tmp_path / "bot.db"}"\n[discord]\nserver = "{twin.base_url}"\n'
            f'[log]\nlevel = "debug"\nmetrics_port = {port}\n[answer]\ndebounce = 0.0\n'
            f'[models.main]\nprovider = "custom"\nbase_url = "{model.make_url("/v1")}"\nmodel = "m"\n',
            encoding="utf-8",
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "streamcord_bot", "run", "--config", str(file),
            stderr=asyncio.subprocess.PIPE,
            env={**CLEAN, "PYTHONPATH": SOURCE_PATH, "DISCORD_TOKEN": twin.token},
        )  # fmt: skip
        try:
            assert process.stderr is not None
            log = await asyncio.wait_for(process.stderr.readuntil(b"ready: servers 1"), 30)
            twin.say(twin.channel, twin.user, f"hush-hush <@{twin.bot.id}>")
            answer = await twin.next_message(twin.channel, timeout=20)
            log += await asyncio.wait_for(process.stderr.readuntil(b" ended: completed"), 20)
            async with session.get(f"http://127.0.0.1:{port}/metrics") as response:
                metrics = await response.text()
            process.send_signal(signal.SIGTERM)
            _, rest = await asyncio.wait_for(process.communicate(), 20)
        finally:
            if process.returncode is None:
                process.kill()

    told = (log + rest).decode()
    assert answer.content == "Purr, said the cat."
    assert 'streamcord_turns_total{ending="completed"} 1.0' in metrics
    assert process.returncode == 0
    assert not any(secret in told for secret in (twin.token, "hush-hush", "Purr"))


def test_status_of_a_bot_without_a_cluster_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "streamcord.toml"
    path.write_text('[models.main]\nprovider = "ollama"\nmodel = "x"\n', encoding="utf-8")

    assert main(["status", "--config", str(path)]) == 2
    assert "has no [cluster]: this bot is one process" in capsys.readouterr().err
