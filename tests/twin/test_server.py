from __future__ import annotations

import asyncio
import time

import aiohttp
import pytest
from aiohttp import web

from discord_twin import DrivenClock, Fault, FaultKind, Twin, TwinOptions, serve
from twin.api import Api
from twin.wire import open_wire


async def test_a_twin_starts_and_stops_in_less_than_50_ms() -> None:
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        async with Twin() as twin:
            assert twin.port
        best = min(best, time.perf_counter() - start)
        if best < 0.05:
            break

    assert best < 0.05


async def test_it_listens_on_loopback_only(twin: Twin) -> None:
    assert twin._listener is not None

    assert [socket.getsockname()[0] for socket in twin._listener.sockets] == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:1"}, 200),
        ({"Host": "127.0.0.1"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_m_17_a_request_by_another_name_is_refused(
    api: Api, headers: dict[str, str], status: int
) -> None:
    answer = await api.get("/users/@me", headers=headers)

    assert answer.status == status
    assert len(api.twin.log.requests) == (status == 200)


async def test_a_page_of_its_own_may_call_it(api: Api) -> None:
    assert (await api.get("/users/@me", headers={"Origin": api.twin.base_url})).status == 200


async def test_m_17_the_gateway_is_guarded_too(api: Api) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await api.session.ws_connect(api.twin.gateway_url, headers={"Host": "evil.example"})

    assert refused.value.status == 403


async def test_in_the_dark_connections_are_refused_and_the_port_comes_back(twin: Twin, api: Api) -> None:
    port = twin.port
    await api.send("before")
    await twin.go_offline()
    async with aiohttp.ClientSession() as fresh:
        with pytest.raises(aiohttp.ClientConnectorError):
            await Api(twin, fresh).send("lost")
    await twin.go_online()
    await api.send("after")

    assert twin.port == port
    assert twin.channel.texts == ["before", "after"]


async def test_idle_connections_can_be_closed_under_the_client(twin: Twin, api: Api) -> None:
    await api.send("one")
    twin.close_connections()
    await asyncio.sleep(0)
    await api.get("/users/@me")

    assert len({record.connection for record in twin.log.requests}) == 2


async def test_a_stop_closes_the_gateway(clock: DrivenClock) -> None:
    async with (
        Twin(clock=clock) as twin,
        aiohttp.ClientSession() as session,
        open_wire(Api(twin, session)) as wire,
    ):
        await wire.identify()
        await twin.stop()

        assert await wire.close_code() == 1001


async def test_switches_turn_while_it_runs(twin: Twin, api: Api) -> None:
    twin.configure(content_limit=1500)

    assert (await api.send("x" * 1501)).code == 50035
    assert (await api.send("x" * 1500)).status == 200
    with pytest.raises(TypeError):
        twin.configure(no_such_switch=1)


async def test_a_twin_is_born_with_its_faults_and_switches() -> None:
    fault = Fault(FaultKind.STATUS, after=3)
    twin = Twin(TwinOptions(content_limit=10), faults=[fault], seed=4)

    assert (twin.faults.pending, twin.options.content_limit, twin.context.seed) == ([fault], 10, 4)


async def test_every_twin_has_the_same_token() -> None:
    assert Twin().token == Twin().token
    assert Twin().token.count(".") == 2


async def test_other_things_can_be_served_beside_it(twin: Twin, api: Api) -> None:
    async def page(_: web.BaseRequest, rest: str) -> web.StreamResponse:
        return web.Response(text=f"page {rest}")

    twin.mount("look", page)
    async with api.session.get(f"{twin.base_url}/look/here") as response:
        assert await response.text() == "page here"
    async with api.session.get(f"{twin.base_url}/other") as response:
        assert response.status == 404


async def test_ready_waits_for_a_client(twin: Twin, api: Api) -> None:
    with pytest.raises(TimeoutError):
        await twin.ready(0.01)
    waiting = asyncio.create_task(twin.ready())
    async with open_wire(api) as wire:
        await wire.identify()
        await waiting


async def test_serve_runs_until_cancelled(unused_tcp_port: int) -> None:
    task = asyncio.create_task(serve(unused_tcp_port))
    url = f"http://127.0.0.1:{unused_tcp_port}/api/v10/gateway"
    async with aiohttp.ClientSession() as session:
        while True:
            await asyncio.sleep(0)
            try:
                async with session.get(url) as response:
                    assert (await response.json())["url"].startswith("ws://127.0.0.1")
                    break
            except aiohttp.ClientConnectorError:
                assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
