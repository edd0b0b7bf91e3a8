"""Which files of ours one "Hello world." enters on its way from HTTP bytes to discord.py's request.

    .venv/bin/python tools/token_walk.py                 this tree
    PYTHONPATH=OTHER/src .venv/bin/python tools/token_walk.py     another one
    ... --persona                                        under another name, by webhook

A model's server, the local Discord and a real discord.py client run in this process; the first two are not
counted. Counting begins when the turn reads the stream and ends with it.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import discord
from aiohttp import web

import streamcord
from discord_twin import Twin
from streamcord import AnswerContext, Persona, say

PACKAGE = Path(streamcord.__file__).parent
ASIDE = ("twin", "_twin", "testing", "_testing", "bot", "_bot")
CHUNKS = (
    b'data: {"choices":[{"index":0,"delta":{"content":"Hello "}}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{"content":"world."}}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
)


def first_of(name: str, *modules: str) -> Any:  # noqa: ANN401
    """A name from the first of some modules that has it: trees differ in where they keep things."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(name)


DISCORD = ("streamcord.discord", "streamcord.delivery.discord_py", "streamcord.delivery.discord")
DiscordChannel = first_of("DiscordChannel", *DISCORD)
Webhooks = first_of("Webhooks", *DISCORD, "streamcord.delivery.webhooks")
HttpProvider = first_of("HttpProvider", "streamcord.providers", "streamcord.providers.http")
connect = first_of(
    "connect_discord_py",
    "streamcord.testing",
    "streamcord._testing.twin_client",
    "streamcord.testing.twin_client",
    "streamcord.testing.twin",
    "discord_twin",
)


class Walk:
    """Notes every file of ours in which a function is called."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            file = Path(frame.f_code.co_filename).relative_to(PACKAGE)
            if file.with_suffix("").parts[0] not in ASIDE:
                self.files[file.as_posix()] += 1


async def answer(request: web.Request) -> web.StreamResponse:
    await request.read()
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for chunk in CHUNKS:
        await response.write(chunk)
    return response


async def walk(*, persona: bool) -> Counter[str]:
    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    found = Walk()
    async with Twin() as twin, HttpProvider("custom", base_url=url, model="m") as provider:
        with connect(twin):
            client = discord.Client(intents=discord.Intents.default())
            running = asyncio.create_task(client.start(twin.token))
            await twin.ready()
            await client.wait_until_ready()
            place: Any = client.get_channel(twin.channel.id)
            context = AnswerContext(persona=Persona("Luna", alter=True) if persona else None)
            channel = DiscordChannel(place, webhooks=Webhooks(client)) if persona else DiscordChannel(place)
            user = first_of("user", "streamcord.providers")
            stream = provider.stream(user("Hi"))
            sys.setprofile(found)
            try:
                result = await say(channel, stream, context=context)
            finally:
                sys.setprofile(None)
            assert result.text.endswith("Hello world."), result
            await client.close()
            await running
    await runner.cleanup()
    return found.files


if __name__ == "__main__":
    files = asyncio.run(walk(persona="--persona" in sys.argv))
    for name, calls in sorted(files.items()):
        print(f"{calls:6} {name}")
    print(f"{len(files)} files")
