"""No request is written by a process that is not sure of its lease."""

from __future__ import annotations

import aiohttp
import pytest
from aiohttp import web

from streamcord._bot.cluster.request_guard import FencedRequest, guard_requests
from streamcord._discord.api_errors import delivery_error
from streamcord._errors import Unavailable


async def test_who_lost_its_lease_reads_but_writes_nothing() -> None:
    arrived: list[str] = []
    may_send = True

    async def answer(request: web.BaseRequest) -> web.Response:
        arrived.append(request.method)
        return web.Response()

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    async with aiohttp.ClientSession(trace_configs=[guard_requests(lambda: may_send)]) as session:
        await (await session.post(url)).read()
        may_send = False
        await (await session.get(url)).read()
        with pytest.raises(FencedRequest) as raised:
            await session.post(url)
        may_send = True
        await (await session.patch(url)).read()
    await runner.cleanup()

    assert arrived == ["POST", "GET", "PATCH"]
    assert isinstance(delivery_error(raised.value), Unavailable), "nothing was sent"
