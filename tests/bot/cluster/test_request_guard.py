"""No request is written by a process that is not sure of its lease."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from streamcord._bot.cluster.request_guard import FencedRequest, guard_requests
from streamcord._discord.api_errors import delivery_error
from streamcord._errors import Unavailable


@asynccontextmanager
async def listening(arrived: list[str]) -> AsyncIterator[str]:
    """The address of a server that notes what arrives."""

    async def answer(request: web.BaseRequest) -> web.Response:
        arrived.append(request.method)
        return web.Response()

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


async def test_who_lost_its_lease_reads_but_writes_nothing() -> None:
    arrived: list[str] = []
    may_send = True

    guard = guard_requests(lambda: may_send)
    async with listening(arrived) as url, aiohttp.ClientSession(trace_configs=[guard]) as session:
        await (await session.post(url)).read()
        may_send = False
        await (await session.get(url)).read()
        with pytest.raises(FencedRequest) as raised:
            await session.post(url)
        may_send = True
        await (await session.patch(url)).read()

    assert arrived == ["POST", "GET", "PATCH"]
    assert isinstance(delivery_error(raised.value), Unavailable), "nothing was sent"


async def test_a_lease_that_is_lost_between_the_connection_and_the_words_is_seen() -> None:
    arrived: list[str] = []
    looks = iter([True, True, False])  # as it begins, on its connection, before its words

    guard = guard_requests(lambda: next(looks))
    async with listening(arrived) as url, aiohttp.ClientSession(trace_configs=[guard]) as session:
        with pytest.raises(FencedRequest):
            await session.post(url, json={"content": "Hi"})

    assert arrived == []
