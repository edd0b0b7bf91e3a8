from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from bot.stage import make_config, on_stage
from discord_twin import Channel
from streamcord.providers import HttpProvider


def common_length(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


class CachingServer:
    """A server of OpenAI's dialect that caches by the front of a prompt, as the real ones do."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.shares: list[float] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        written, key = json.dumps(body["messages"]), body["prompt_cache_key"]
        if before := self.kept.get(key):
            self.shares.append(common_length(before, written) / len(written))
        self.kept[key] = written
        delta = {"choices": [{"index": 0, "delta": {"content": "I see, and I say so. " * 3}}]}
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        text = "".join(f"data: {json.dumps(one)}\n\n" for one in (delta, end)) + "data: [DONE]\n\n"
        return web.Response(text=text, content_type="text/event-stream")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()


async def test_a_cache_by_prefix_hits_at_every_turn_and_each_channel_has_its_own() -> None:
    server = CachingServer()
    config = make_config(personas={"Luna": {"prompt": "You are Luna, a cat in a library. " * 30}})
    async with (
        server.open() as url,
        HttpProvider("openai", model="m", key="k", base_url=url) as provider,
        on_stage(provider, config=config) as stage,
    ):

        async def talk(channel: Channel, turns: int) -> None:
            for number in range(turns):
                stage.ask(f"what do you see today, at hour {number}?", channel)
                await stage.texts(1, channel)
                await stage.quiet()

        await talk(stage.twin.channel, 8)
        await talk(stage.twin.add_channel("other"), 1)

    assert len(server.kept) == 2
    assert len(server.shares) == 7
    assert min(server.shares) > 0.8
    assert server.shares[-1] > 0.9
