"""Two public bots, unmodified, on the twin: `python tools/public_bots.py` installs, runs and judges them.

- jishaku (PyPI), a discord.py bot for its owner: `python -m jishaku TOKEN_CHARS`
- discord-tictactoe (npm), a discord.js game: `npx tictactoe`

Neither has an option for another address, so a few lines set the base of their library's REST before they start.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

from discord_twin import FakeUser, Twin, TwinOptions

PLACE = Path(__file__).parent.parent / ".clients"
JISHAKU = """
import os, runpy, sys, discord, yarl
discord.http.Route.BASE = os.environ["TWIN_API"]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["TWIN_GATEWAY"])
sys.argv = ["jishaku", "--skip-wait", "--", "+all", os.environ["TWIN_TOKEN"]]
runpy.run_module("jishaku", run_name="__main__")
"""
REDIRECT = 'require("@discordjs/rest").DefaultRestOptions.api = process.env.TWIN_ROOT + "/api";'
TICTACTOE = "node_modules/discord-tictactoe/dist/bin/tictactoe.js"


def install() -> None:
    python = PLACE / "py-jishaku" / "bin" / "python"
    if not python.exists():
        venv.create(python.parent.parent, with_pip=True)
        packages = ["jishaku[discordpy]", "discord.py", "setuptools<81"]
        subprocess.run([python, "-m", "pip", "install", "-qq", *packages], check=True)
    bots = PLACE / "bots"
    if not (bots / "node_modules" / "discord-tictactoe").is_dir():
        bots.mkdir(parents=True, exist_ok=True)
        (bots / "package.json").write_text('{"private": true}')
        command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "discord-tictactoe"]
        subprocess.run(command, check=True, cwd=bots)


async def start(twin: Twin, *program: str, cwd: Path = PLACE) -> asyncio.subprocess.Process:
    environment = {
        **os.environ, "TWIN_ROOT": twin.base_url, "TWIN_API": twin.api_url, "TWIN_GATEWAY": twin.gateway_url,
        "TWIN_TOKEN": twin.token, "TOKEN_CHARS": twin.token,
    }  # fmt: skip
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*program, cwd=cwd, env=environment, stdout=pipe, stderr=pipe)


async def jishaku(twin: Twin, user: FakeUser) -> str:
    process = await start(twin, str(PLACE / "py-jishaku" / "bin" / "python"), "-c", JISHAKU)
    try:
        assert process.stdout is not None
        output = (await asyncio.wait_for(process.stdout.readuntil(b"::jsk <subcommand>`"), 30)).decode()
        prefix = re.findall(r"`([0-9a-f-]+)::jsk", output)[0]
        await twin.ready(30)
        user.say(f"{prefix}::jsk")
        about = await twin.next_message(timeout=20)
        user.say(f"{prefix}::jsk py 6 * 7")
        answer = await twin.next_message(timeout=20)
        return f"{about.content.splitlines()[0]} | 6 * 7 = {answer.content}"
    finally:
        process.kill()
        await process.wait()


async def tictactoe(twin: Twin, user: FakeUser) -> str:
    (PLACE / "bots" / "redirect.cjs").write_text(REDIRECT)
    process = await start(twin, "node", "-r", "./redirect.cjs", TICTACTOE, cwd=PLACE / "bots")
    try:
        await twin.ready(30)
        await twin.until(lambda: twin.state.guild_commands or twin.bot.commands or None, 5)
    except TimeoutError:
        user.say(f"<@{twin.bot.user.id}> tttdeploy")  # a moderator lets it register its command
        await twin.until(lambda: twin.state.guild_commands or twin.bot.commands or None, 20)
        await twin.next_message(timeout=20)
    try:
        user.slash("tictactoe")
        board = await twin.next_message(timeout=20)
        buttons = [one for row in board.draft.components for one in row["components"]]
        free = next(one for one in buttons if not one.get("disabled"))
        before = board.draft.components
        user.press(board, free["custom_id"])
        await twin.until(lambda: board.draft.components != before or None, 20)
        return f"{board.content.splitlines()[0]} ({len(buttons)} buttons, one played)"
    finally:
        process.kill()
        await process.wait()


async def judge() -> int:
    status = 0
    for bot in (jishaku, tictactoe):
        async with Twin(TwinOptions.without_limits()) as twin:
            try:
                print(bot.__name__, "answers:", await bot(twin, twin.fake_user()))
            except Exception as error:
                status = 1
                print(bot.__name__, "does not answer:", repr(error))
            refused = {one.why for one in twin.log.requests if one.why}
            print("  refused:", "; ".join(sorted(refused)) or "nothing", "| unknown:", dict(twin.log.unknown))
    return status


if __name__ == "__main__":
    install()
    sys.exit(asyncio.run(judge()))
