"""`streamcord-bot demo` as a newcomer runs it: by a script, in a terminal, ended by Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from demo.sitting import options, sitting
from source_path import SOURCE_PATH
from streamcord_bot.demo import command
from streamcord_bot.demo.model_server import find_weights
from streamcord_bot.demo.tour import STEPS

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": SOURCE_PATH,
    "COLUMNS": "100",
    "NO_COLOR": "1",
}
COMMAND = [sys.executable, "-m", "streamcord_bot", "demo"]
PIPE = asyncio.subprocess.PIPE
NEWCOMER = "#general\nhello!\n/persona switch Orbit\ncount to thirty\n:after 2 /stop\n"


async def play(script: str, *options: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *options, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.STDOUT, env=ENVIRONMENT
    )
    async with asyncio.timeout(150):  # a small machine with much else to do
        out, _ = await process.communicate(script.encode())
    return process.returncode or 0, out.decode()


async def test_a_script_from_standard_input_is_played() -> None:
    status, out = await play(NEWCOMER, "--scripted", "--fast")

    assert status == 0
    assert "From now on Orbit speaks in this channel." in out
    assert "Orbit  APP" in out
    assert re.search(r"Ready in \d+\.\d s", out)
    assert "I am Luna" in out
    assert "Stopped." in out
    assert "Traceback" not in out


async def test_a_script_from_a_file_that_cannot_be_done_fails(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(":dance\n")

    status, out = await play("", "--scripted", "--fast", "--script", str(tmp_path / "a.txt"))
    missing, words = await play("", "--scripted", "--fast", "--script", str(tmp_path / "none.txt"))

    assert (status, ":dance is not known" in out) == (1, True)
    assert "Lines that could not be done: 1" in out
    assert (missing, "none.txt" in words, "Traceback" in words) == (1, True, False)


async def test_a_provider_that_is_not_known_is_told_so() -> None:
    status, out = await play("", "--provider", "gpt")

    assert status == 2
    assert "provider must be one of openai" in out
    assert "Traceback" not in out


@asynccontextmanager
async def terminal() -> AsyncIterator[tuple[asyncio.subprocess.Process, asyncio.Queue[bytes], int]]:
    """The demo in a terminal of its own."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--scripted", "--fast", stdin=theirs, stdout=theirs, stderr=theirs, env=ENVIRONMENT,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        try:
            seen.put_nowait(os.read(ours, 65536))
        except OSError:
            asyncio.get_running_loop().remove_reader(ours)

    asyncio.get_running_loop().add_reader(ours, read)
    try:
        yield process, seen, ours
    finally:
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)
        if process.returncode is None:
            process.kill()
        await process.wait()


async def read_until(seen: asyncio.Queue[bytes], words: bytes) -> bytes:
    out = b""
    async with asyncio.timeout(30):
        while words not in out:
            out += await seen.get()
    return out


@pytest.mark.parametrize("ending", [b"\x04", signal.SIGINT, signal.SIGTERM])
async def test_a_person_types_is_answered_and_ends_it(ending: bytes | signal.Signals) -> None:
    async with terminal() as (process, seen, keys):
        await read_until(seen, b"Say hello")
        os.write(keys, b"hellp\x7fo\r")
        # Both may come at once, so that looking for one after the other could wait for ever.
        assert b"I am Luna" in await read_until(seen, b"Again")
        if isinstance(ending, bytes):
            os.write(keys, ending)
        else:
            process.send_signal(ending)
        async with asyncio.timeout(20):
            status = await process.wait()

    assert status == 0


async def test_another_provider_is_asked_instead() -> None:
    async def answer(_: web.Request) -> web.Response:
        said = b'{"choices":[{"delta":{"content":"from far away"},"finish_reason":"stop"}]}'
        body = b"data: " + said + b"\n\ndata: [DONE]\n\n"
        return web.Response(body=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as server:
        url = str(server.make_url("/v1"))
        async with sitting(scripted=False, provider="custom", model="m", base_url=url) as here:
            printed = await here.follow("#general", "hello!")

    assert "from far away" in printed


async def test_a_provider_without_its_key_is_told_so_before_anything_starts() -> None:
    status, out = await play("hello!\n", "--provider", "openai", "--model", "m")

    assert status == 2
    assert "OPENAI_API_KEY is not set" in out
    assert "export OPENAI_API_KEY=" in out
    assert "Ready" not in out


async def test_a_server_that_does_not_run_is_told_so_before_anything_starts() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        status, out = await play("hello!\n", "--provider", "ollama", "--model", "m", "--base-url", url)

    assert status == 2
    assert "ollama m: " in out
    assert "Ready" not in out


async def test_input_that_stays_open_does_not_hold_the_end_up() -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--scripted", "--fast", stdin=PIPE, stdout=PIPE, env=ENVIRONMENT
    )
    assert process.stdout is not None
    async with asyncio.timeout(30):
        await process.stdout.readuntil(b"Ready in")
        process.send_signal(signal.SIGINT)
        out = await process.stdout.read()
        await process.wait()

    assert process.returncode == 0
    assert b"Bye." in out


async def test_without_a_word_to_read_the_tour_is_shown() -> None:
    status, out = await play("", "--scripted", "--fast")

    assert status == 0
    assert "Standard input is empty: here is the tour." in out
    assert f"{len(STEPS)}/{len(STEPS)} And back" in out
    assert ":leave" not in out


async def test_without_a_model_to_be_had_the_script_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", "/nowhere")
    async with sitting(scripted=False, no_install=True) as here:
        printed = await here.follow("#general", "hello!")

    assert "(--no-install was given)" in printed


@pytest.mark.skipif(find_weights() is None, reason="the small model is not installed: make demo")
async def test_a_newcomer_talks_to_the_real_model_switches_the_persona_and_stops_an_answer() -> None:
    status, out = await play(NEWCOMER, "--fast")

    assert status == 0
    answer = out.partition("hello!")[2].partition("you used")[0]
    assert "Orbit  APP" in out
    assert "SmolLM2" in out
    assert len(answer.split()) > 5
    assert "Stopped." in out


# --- The command line -----------------------------------------------------------------------------------


def test_the_options_are_understood() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)

    given = parser.parse_args(["--provider", "ollama", "--model", "qwen3", "--script", "-", "--fast"])

    assert (given.provider, given.model, given.script, given.fast) == ("ollama", "qwen3", "-", True)
    assert not given.scripted
    assert not given.no_install


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "rich" else object())

    assert command.run(options(scripted=False)) == 2
    err = capsys.readouterr().err
    assert "the demo needs rich: " in err
    assert "[demo]" in err
    assert "streamcord-bot demo --scripted" in err


def test_where_nothing_is_installed_the_library_alone_shows_the_script() -> None:
    """`-S` hides every package, as on a machine without an index."""
    run = subprocess.run(
        [sys.executable, "-S", "-m", "streamcord_bot", "demo", "--scripted", "--fast"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=True,
    )

    assert "the demo needs rich, discord.py, aiohttp" in run.stdout
    assert "def greet(names" in run.stdout
    assert "129 characters of thought" in run.stdout
    assert run.stderr == ""
