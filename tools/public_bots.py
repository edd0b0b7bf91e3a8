"""Three public bots, unmodified, on the twin: `python tools/public_bots.py` installs, runs and tests them.

- Red (PyPI), the self-hosted bot with a discord.py core: a cog is loaded, a coin flipped, a fault survived
- jishaku (PyPI), a discord.py bot for its owner: its owner asks for the version and a sum
- discord-tictactoe (npm), a discord.js game: its command is deployed, a game begun, a button played

None has an option for another address, so a few lines set the base of their library's REST before they start. The tests
speak to the twin over its HTTP control API only, as tests in any language do.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

PLACE = Path(__file__).parent.parent / ".clients"
REDIRECT_PYTHON = """
import os, runpy, sys, discord, yarl
discord.http.Route.BASE = os.environ["DISCORD_TWIN_API"]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_TWIN_GATEWAY"])
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__")
"""
REDIRECT_NODE = 'require("@discordjs/rest").DefaultRestOptions.api = process.env.DISCORD_TWIN_URL + "/api";'
TICTACTOE = "node_modules/discord-tictactoe/dist/bin/tictactoe.js"
START_S = 60.0
ANSWER_S = 20.0


@dataclass
class Twin:
    """A running `discord-twin`, over its control API."""

    session: aiohttp.ClientSession
    url: str
    variables: dict[str, str]

    async def post(self, path: str, **body: object) -> dict[str, Any]:
        async with self.session.post(f"{self.url}/control/{path}", json=body) as response:
            found = await response.json() if response.status != 204 else {}
            if response.status >= 300:
                raise RuntimeError(f"{path}: {found['error']}")
            return dict(found)

    async def get(self, path: str) -> dict[str, Any]:
        async with self.session.get(f"{self.url}/control/{path}") as response:
            return dict(await response.json())

    async def say(self, text: str) -> None:
        await self.post("say", text=text)

    async def answer(self) -> dict[str, Any]:
        return await self.post("next-message", timeout=ANSWER_S)


@asynccontextmanager
async def twin() -> AsyncIterator[Twin]:
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        command = [sys.executable, "-m", "discord_twin", "--port", "0", "--quiet", "--no-limits"]
        process = await asyncio.create_subprocess_exec(
            *command, "--ready-file", str(ready), stdout=asyncio.subprocess.DEVNULL
        )
        try:
            while not ready.exists() or ready.read_text(encoding="utf-8").count("\n") < 4:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            variables = dict(one.split("=", 1) for one in ready.read_text(encoding="utf-8").splitlines())
            async with aiohttp.ClientSession() as session:
                yield Twin(session, variables["DISCORD_TWIN_URL"], variables)
        finally:
            process.kill()
            await process.wait()


@asynccontextmanager
async def bot(twin: Twin, *program: str, cwd: Path = PLACE) -> AsyncIterator[asyncio.subprocess.Process]:
    token = twin.variables["DISCORD_TWIN_TOKEN"]
    environment = {**os.environ, **twin.variables, "TOKEN": token}
    environment |= {"HOME": str(PLACE / "home"), "XDG_CONFIG_HOME": str(PLACE / "home" / "config")}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *program, cwd=cwd, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=None
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


# The tests


async def red(twin: Twin) -> str:
    python = str(PLACE / "py-red" / "bin" / "python")
    owner = (await twin.get(""))["user"]["id"]
    token = twin.variables["DISCORD_TWIN_TOKEN"]
    words = ["redbot", "twin", "--token", token, "--prefix", "!", "--owner", owner, "--no-prompt"]
    async with bot(twin, python, "-c", REDIRECT_PYTHON, *words) as process:
        drain = asyncio.create_task(_drain(process))
        await twin.post("wait", **{"for": "ready", "timeout": START_S})
        # It listens to commands when its cogs are loaded.
        await twin.post("wait", **{"for": "quiet", "seconds": 2, "timeout": START_S})
        await twin.say("!ping")
        pong = await twin.answer()
        assert pong["content"] == "Pong.", pong["content"]
        await twin.say("!load general")
        loaded = await twin.answer()
        assert "general" in loaded["content"], loaded["content"]
        # Discord fails once: Red's library tries again, and people see one answer.
        await twin.post("faults", kind="STATUS", status=502)
        await twin.say("!flip")
        flipped = await twin.answer()
        assert "flips a coin" in flipped["content"], flipped["content"]
        assert (await twin.get("faults"))["fired"] == {"STATUS": 1}
        drain.cancel()
        return f"{pong['content']} | {loaded['content']} | {flipped['content']}"


async def jishaku(twin: Twin) -> str:
    python = str(PLACE / "py-jishaku" / "bin" / "python")
    token = twin.variables["DISCORD_TWIN_TOKEN"]
    words = ["jishaku", "--skip-wait", "--", "+all", token]
    async with bot(twin, python, "-c", REDIRECT_PYTHON, *words) as process:
        assert process.stdout is not None
        output = await asyncio.wait_for(process.stdout.readuntil(b"::jsk <subcommand>`"), START_S)
        drain = asyncio.create_task(_drain(process))
        prefix = re.findall(r"`([0-9a-f-]+)::jsk", output.decode())[0]
        await twin.post("wait", **{"for": "ready", "timeout": START_S})
        await twin.say(f"{prefix}::jsk")
        about = (await twin.answer())["content"]
        assert "Jishaku" in about, about
        await twin.say(f"{prefix}::jsk py 6 * 7")
        answer = (await twin.answer())["content"]
        assert answer == "42", answer
        await twin.post("users", name="mallory")
        await twin.post("say", user="mallory", text=f"{prefix}::jsk py 6 * 7")
        await twin.post("wait", **{"for": "quiet", "seconds": 1, "timeout": 10})
        last = (await twin.get("messages"))["messages"][-1]
        assert last["author"]["username"] == "mallory", "somebody else was answered"
        drain.cancel()
        return f"{about.splitlines()[0]} | 6 * 7 = {answer} | silent to others"


async def tictactoe(twin: Twin) -> str:
    (PLACE / "bots" / "redirect.cjs").write_text(REDIRECT_NODE)
    async with bot(twin, "node", "-r", "./redirect.cjs", TICTACTOE, cwd=PLACE / "bots") as process:
        drain = asyncio.create_task(_drain(process))
        await twin.post("wait", **{"for": "ready", "timeout": START_S})
        me = (await twin.get(""))["bots"][0]["id"]
        await twin.say(f"<@{me}> tttdeploy")  # a moderator lets it register its command
        await twin.post("wait", **{"for": "commands", "name": "tictactoe", "timeout": ANSWER_S})
        await twin.answer()
        await twin.post("slash", name="tictactoe", wait=ANSWER_S)
        board = await twin.answer()
        buttons = [one for row in board["components"] for one in row["components"]]
        # The bot listens for presses a moment after its message is there.
        await twin.post("wait", **{"for": "quiet", "seconds": 1, "timeout": ANSWER_S})
        free = next(one for one in buttons if not one.get("disabled"))
        pressed = await twin.post("press", message=board["id"], id=free["custom_id"], wait=ANSWER_S)
        assert pressed["responded"], pressed
        await twin.post("wait", **{"for": "quiet", "seconds": 1, "timeout": ANSWER_S})
        now = await twin.get(f"messages/{board['id']}")
        assert now["components"] != board["components"], "the board did not change"
        drain.cancel()
        return f"{board['content'].splitlines()[0]} ({len(buttons)} buttons, one played)"


async def _drain(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(65536):
        pass


BOTS: tuple[Callable[[Twin], Awaitable[str]], ...] = (red, jishaku, tictactoe)


# Installing


def install() -> None:
    _install_python("py-jishaku", "jishaku[discordpy]", "discord.py", "setuptools<81")
    _install_python("py-red", "Red-DiscordBot", "setuptools<81")
    home = PLACE / "home"
    if not (home / "red").is_dir():
        (home / "red").mkdir(parents=True)
        setup = [str(PLACE / "py-red" / "bin" / "redbot-setup"), "--no-prompt", "--instance-name", "twin"]
        environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
        subprocess.run(
            [*setup, "--data-path", str(home / "red"), "--backend", "json"], check=True, env=environment
        )
    bots = PLACE / "bots"
    if not (bots / "node_modules" / "discord-tictactoe").is_dir():
        bots.mkdir(parents=True, exist_ok=True)
        (bots / "package.json").write_text('{"private": true}')
        command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "discord-tictactoe"]
        subprocess.run(command, check=True, cwd=bots)


def _install_python(name: str, *packages: str) -> None:
    python = PLACE / name / "bin" / "python"
    if not python.exists():
        venv.create(python.parent.parent, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", *packages], check=True)


async def judge(wanted: list[str]) -> int:
    status = 0
    for test in BOTS:
        if wanted and test.__name__ not in wanted:
            continue
        async with twin() as running:
            try:
                print(test.__name__, "passes:", await test(running))
            except Exception as error:
                status = 1
                print(test.__name__, "fails:", repr(error))
            if status:
                for one in (await running.get("requests"))["requests"][-12:]:
                    print("   ", one["status"], one["route"], str(one["body"])[:160])
            requests = (await running.get("requests?limit=1000"))["requests"]
            refused = {one["why"] for one in requests if one["why"]}
            unknown = (await running.get(""))["unknown_routes"]
            print("  refused:", "; ".join(sorted(refused)) or "nothing", "| unknown:", unknown)
    return status


if __name__ == "__main__":
    install()
    sys.exit(asyncio.run(judge(sys.argv[1:])))
