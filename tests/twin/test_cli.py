"""`discord-twin`, run as a user runs it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from discord_twin import DrivenClock, FaultKind, Record, Twin
from discord_twin.cli import describe_request, main


@asynccontextmanager
async def command(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "discord_twin", "--port", "0", *options, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def read_welcome(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readuntil(b"discord.js")).decode()


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
async def test_it_says_where_it_is_shows_traffic_and_ends_at_ctrl_c() -> None:
    async with command() as process, aiohttp.ClientSession() as session:
        welcome = await read_welcome(process)
        api = re.search(r"API +(\S+)", welcome)
        token = re.search(r"token +(\S+)", welcome)
        assert api
        assert token
        assert f'server = "{api[1].removesuffix("/api/v10")}"' in welcome
        headers = {"Authorization": f"Bot {token[1]}"}
        async with session.get(f"{api[1]}/users/@me/guilds", headers=headers) as response:
            assert response.status == 200
        async with session.get(api[1].replace("/api/v10", "/")) as page:
            assert "discord-twin" in await page.text()
        process.send_signal(signal.SIGINT)
        out, _ = await asyncio.wait_for(process.communicate(), 10)

    assert process.returncode == 0
    assert "200 users.guilds" in out.decode()
    assert "The twin is closed." in out.decode()
    assert "127.0.0.1" in api[1]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
async def test_what_a_client_did_is_written_down(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    file.touch(0o644)
    async with (
        command("--strict", "--quiet", "--record", str(file)) as process,
        aiohttp.ClientSession() as session,
    ):
        welcome = await read_welcome(process)
        api, token = (re.search(rf"{word} +(\S+)", welcome) for word in ("API", "token"))
        assert api
        assert token
        headers = {"Authorization": f"Bot {token[1]}"}
        async with session.post(f"{api[1]}/guilds/1/prune", headers=headers) as response:
            assert response.status == 501
        async with session.post(
            f"{api[1]}/users/@me/channels", headers=headers, json={"recipient_id": "\x1b[31m"}
        ) as response:
            assert response.status == 400
        process.send_signal(signal.SIGINT)
        out, _ = await asyncio.wait_for(process.communicate(), 10)
    events = file.read_text(encoding="utf-8")

    assert file.stat().st_mode & 0o777 == 0o600
    assert "400 users.open_dm" in events
    assert "why: 400 50035 Invalid Form Body; recipient_id: NUMBER_TYPE_COERCE" in events
    assert "POST /guilds/{id}/prune: asked 1 times" in events
    assert "POST /guilds/{id}/prune: asked 1 times" in out.decode()
    assert token[1] not in events
    assert "\x1b" not in events


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
async def test_a_saved_state_and_commands_outlive_a_restart(ending: signal.Signals, tmp_path: Path) -> None:
    state, ready = tmp_path / "state.json", tmp_path / "ready"
    for start in range(2):
        async with (
            command("--quiet", "--no-limits", "--state", str(state), "--ready-file", str(ready)) as process,
            aiohttp.ClientSession() as session,
        ):
            await read_welcome(process)
            lines = ready.read_text(encoding="utf-8").splitlines()[-4:]
            found = dict(line.split("=", 1) for line in lines)
            if start == 0:
                headers = {"Authorization": f"Bot {found['DISCORD_TWIN_TOKEN']}"}
                url = f"{found['DISCORD_TWIN_API']}/applications/100000000000000001/commands"
                body = {"name": "help", "description": "Help"}
                async with session.post(url, json=body, headers=headers) as response:
                    assert response.status == 201
                await session.post(f"{found['DISCORD_TWIN_URL']}/control/say", json={"text": "kept"})
            async with session.get(f"{found['DISCORD_TWIN_URL']}/control/state") as response:
                saved = await response.json()
            assert [one["text"] for one in saved["messages"]] == ["kept"]
            assert [one["name"] for one in saved["commands"]] == ["help"]
            process.send_signal(ending)
            await asyncio.wait_for(process.communicate(), 10)
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("text", "why"), [("{", "cannot read"), ("[]", "is no saved state"), ('{"version": 9}', "state.version")]
)
def test_a_state_that_is_wrong_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    assert main(["--port", "0", "--state", str(file)]) == 1
    assert why in capsys.readouterr().err
    assert file.read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
async def test_in_a_container_it_is_reached_by_its_name(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    options = ("--host", "0.0.0.0", "--name", "twin", "--ready-file", str(ready))
    async with command(*options) as process, aiohttp.ClientSession() as session:
        await read_welcome(process)
        found = dict(line.split("=", 1) for line in ready.read_text(encoding="utf-8").splitlines())
        port = found["DISCORD_TWIN_URL"].rpartition(":")[2]
        assert found["DISCORD_TWIN_GATEWAY"] == f"ws://twin:{port}/gateway"
        for host, status in (
            (f"twin:{port}", 200),
            (f"localhost:{port}", 200),
            (f"evil.example:{port}", 403),
        ):
            url = f"http://127.0.0.1:{port}/api/v10/gateway"
            async with session.get(url, headers={"Host": host}) as response:
                assert response.status == status


def test_a_file_that_cannot_be_written_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--record", str(tmp_path / "no" / "folder")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status = main(["--port", str(taken.getsockname()[1])])

    assert status == 1
    assert "cannot listen on 127.0.0.1" in capsys.readouterr().err
    assert main(["--port", "99999"]) == 1


def test_a_log_line_names_faults_but_no_tokens_or_escapes() -> None:
    twin = Twin(clock=DrivenClock())
    message = twin.say(twin.channel, twin.user, "one\ntwo \x1b[31m" + "x" * 100)
    record = Record(0.0, "POST", "/api/v10/webhooks/1/secret", (), b"", route="webhooks.execute")
    record.channel_id, record.message = twin.channel.id, message
    record.faults.append(FaultKind.COMMIT_THEN_DROP_ACK)
    line = describe_request(twin, record)

    assert line.startswith("  cut webhooks.execute")
    assert "#general alice: one⏎two ␛[31m" in line
    assert "[carried out, the connection closes]" in line
    assert "secret" not in line
    assert "\x1b" not in line


def test_a_log_line_has_the_error_code_or_the_limit_scope() -> None:
    twin = Twin(clock=DrivenClock())
    refused = Record(0.0, "POST", "/", (), b"", route="messages.create", status=400, code=50035)
    limited = Record(0.0, "POST", "/", (), b"", route="messages.create", status=429, scope="user")

    assert describe_request(twin, refused).endswith("code 50035")
    assert describe_request(twin, limited).endswith("user")


@pytest.mark.parametrize(("text", "why"), [(None, "cannot read"), ("[]", "is not an OpenAPI document")])
def test_a_wrong_description_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, why: str
) -> None:
    file = tmp_path / "api.json"
    if text is not None:
        file.write_text(text)
    assert main(["--check", str(file)]) == 1
    assert why in capsys.readouterr().err
