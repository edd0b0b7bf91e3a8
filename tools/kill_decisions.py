"""Kills the real bot with SIGKILL around one decision: `streamcord-bot run`, a real MCP process, the local Discord.

    python tools/kill_decisions.py 5      five rounds of each moment; prints a table

The tool appends a line to a file a moment after it was called. Killed are the bot and with it its connection to the
tool's process: between question and press, between press and effect, in the effect, and after it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from aiohttp import web  # noqa: E402

from bot.test_choices import custom_ids  # noqa: E402
from discord_twin import Message, Twin  # noqa: E402
from providers.loopback import DONE, chat  # noqa: E402
from streamcord.store import AskState, open_store  # noqa: E402
from twin.conftest import FREE  # noqa: E402

T = TypeVar("T")
MOMENTS = ("question and press", "press and effect", "in the effect", "after the effect")
CONFIG = """
store = "{folder}/s.db"
[discord]
server = "{twin}"
[answer]
debounce = 0.05
[settings]
typing = "off"
[models.main]
provider = "vllm"
model = "m"
base_url = "{model}"
[tools.mcp.box]
command = ["{python}", "{folder}/server.py"]
approve = "always"
timeout = 20
"""
SERVER = """
import json, pathlib, sys, time
folder = pathlib.Path(__file__).parent
for line in sys.stdin:
    asked = json.loads(line)
    method, result = asked.get("method"), None
    if method == "server/discover":
        result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                  "ttlMs": 0, "cacheScope": "public"}
    elif method == "tools/list":
        tool = {"name": "act", "inputSchema": {"type": "object", "properties": {}}}
        result = {"resultType": "complete", "tools": [tool], "ttlMs": 0, "cacheScope": "public"}
    elif method == "tools/call":
        (folder / "begun").touch()
        time.sleep(0.5)
        with (folder / "effects").open("a") as file:
            file.write("x")
        time.sleep(0.5)
        result = {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}
    if asked.get("id") is not None and result is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


async def wait_until(look: Callable[[], T], seconds: float = 60.0) -> T:
    """Look again and again: other processes change it."""
    async with asyncio.timeout(seconds):
        while not (found := look()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return found


@asynccontextmanager
async def model() -> AsyncIterator[str]:
    """A model that calls the tool once, and then says that all is over."""

    async def answer(request: web.Request) -> web.StreamResponse:
        said = json.dumps(await request.json())
        is_over = "gave:" in said or "interrupted" in said
        call = {"index": 0, "id": "1", "type": "function", "function": {"name": "box_act", "arguments": "{}"}}
        words = (
            [chat("It is over."), chat("", "stop")]
            if is_over
            else [chat("", None, tool_calls=[call]), chat("", "tool_calls")]
        )
        return web.Response(body=b"".join([*words, DONE]), content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


class Bot:
    """`streamcord-bot run` as a process."""

    def __init__(self, folder: Path, token: str) -> None:
        self._folder = folder
        self._token = token
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it is ready."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "streamcord_bot", "run", "--config", str(self._folder / "bot.toml")),
            env={**os.environ, "DISCORD_TOKEN": self._token},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        assert self._process.stderr is not None
        async with asyncio.timeout(60):
            while b"ready: servers" not in (line := await self._process.stderr.readline()):
                assert line, "the bot has ended"
        self._rest = asyncio.create_task(self._process.stderr.read())

    async def end(self, how: int = signal.SIGKILL) -> None:
        """End it, by default with SIGKILL."""
        assert self._process is not None
        self._process.send_signal(how)
        await self._process.wait()
        await self._rest


def texts(twin: Twin) -> list[str]:
    """What the bot said to all."""
    messages = [one for one in twin.channel.messages.values() if one.by_machine and one.interaction is None]
    return [f"{one.content}{one.draft.embeds or ''}" for one in messages]


async def play(moment: str, folder: Path) -> str:
    """Play one round and return what came out."""
    async with model() as address, Twin(FREE) as twin:
        values = {"folder": folder, "twin": twin.base_url, "model": address, "python": sys.executable}
        (folder / "bot.toml").write_text(CONFIG.format(**values), encoding="utf-8")
        (folder / "server.py").write_text(SERVER, encoding="utf-8")
        effects, bot = folder / "effects", Bot(folder, twin.token)
        await bot.start()
        twin.say(twin.channel, twin.user, f"<@{twin.bot.id}> please")
        card = await wait_until(lambda: _card(twin))
        assert card is not None
        mallory = twin.add_user("mallory")
        if moment == "question and press":
            await bot.end()
            await bot.start()
        wrong = twin.press(card, custom_ids(card)[0], mallory)
        await wait_until(lambda: wrong.responded)
        pressed = twin.press(card, custom_ids(card)[0])
        if moment == "press and effect":
            await wait_until(lambda: pressed.responded)
        elif moment == "in the effect":
            await wait_until((folder / "begun").exists)
        elif moment == "after the effect":
            await wait_until(effects.exists)
        if moment != "question and press":
            await bot.end()
            await bot.start()
        await wait_until(lambda: [one for one in texts(twin) if "over" in one or "cannot tell" in one])
        await asyncio.sleep(1.5)
        left = _card(twin)
        await bot.end(signal.SIGTERM)
        async with await open_store(folder / "s.db") as store:
            rows = await store.asks(twin.bot.id, *AskState)
            changes = await store.changes(twin.guild.id)
        count = len(effects.read_text()) if effects.exists() else 0
        is_told = any("cannot tell" in one or "over" in one for one in texts(twin))
        decided = [one for one in rows if one.decision is not None and one.decision.user == twin.user.id]
        ok = count <= 1 and len(decided) == len(changes) == 1 and is_told and left is None
        ok = ok and (count == 1 or moment != "question and press")
        return (
            f"{count} effects, {len(decided)} decisions, {len(rows)} cards, {len(changes)} audit entries"
            + ("" if ok else f" WRONG {texts(twin)}")
        )


def _card(twin: Twin) -> Message | None:
    return next(
        (
            one
            for one in twin.channel.messages.values()
            if any(id_.startswith("sc:ask:") for id_ in custom_ids(one))
        ),
        None,
    )


async def main(rounds: int) -> int:
    """Play all rounds and print a table."""
    print("| killed between | rounds | what came out |\n|---|--:|---|")
    wrong = 0
    for moment in MOMENTS:
        said: Counter[str] = Counter()
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                said[await play(moment, Path(folder))] += 1
        wrong += sum(count for words, count in said.items() if "WRONG" in words)
        print(
            f"| {moment} | {rounds} | {'; '.join(f'{count} × {words}' for words, count in said.items())} |",
            flush=True,
        )
    return wrong


if __name__ == "__main__":
    raise SystemExit(bool(asyncio.run(main(int(sys.argv[1])))))
