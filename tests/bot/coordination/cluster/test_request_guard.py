"""No request is written by a process that is not sure of its lease."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest
from aiohttp import web

from streamcord._discord.errors import delivery_error
from streamcord._exceptions import DeliveryUnavailable
from streamcord_bot.coordination.cluster.request_guard import (
    LeaseExpiredError,
    close_sockets_on_wake,
    guard_requests,
)


@asynccontextmanager
async def serving(answer: Callable[[web.BaseRequest], Awaitable[web.Response]]) -> AsyncIterator[str]:
    """The address of a server that answers so."""
    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


@asynccontextmanager
async def listening(arrived: list[str]) -> AsyncIterator[str]:
    """The address of a server that notes what arrives."""

    async def answer(request: web.BaseRequest) -> web.Response:
        arrived.append(request.method)
        return web.Response()

    async with serving(answer) as url:
        yield url


async def test_expired_lease_blocks_writes_but_not_reads() -> None:
    arrived: list[str] = []
    may_send = True

    guard = guard_requests(lambda: may_send)
    async with listening(arrived) as url, aiohttp.ClientSession(trace_configs=[guard]) as session:
        await (await session.post(url)).read()
        may_send = False
        await (await session.get(url)).read()
        with pytest.raises(LeaseExpiredError) as raised:
            await session.post(url)
        may_send = True
        await (await session.patch(url)).read()

    assert arrived == ["POST", "GET", "PATCH"]
    assert isinstance(delivery_error(raised.value), DeliveryUnavailable), "nothing was sent"


async def test_a_lease_that_is_lost_between_the_connection_and_the_words_is_seen() -> None:
    arrived: list[str] = []
    looks = iter([True, True, False])  # as it begins, on its connection, before its words

    guard = guard_requests(lambda: next(looks))
    async with listening(arrived) as url, aiohttp.ClientSession(trace_configs=[guard]) as session:
        with pytest.raises(LeaseExpiredError):
            await session.post(url, json={"content": "Hi"})

    assert arrived == []


async def test_sockets_are_shut_when_process_continues_after_last_check() -> None:
    arrived: list[bytes] = []
    may_send = True

    async def hear(request: web.BaseRequest) -> web.Response:
        with suppress(ConnectionError, web.RequestPayloadError):
            async for chunk in request.content.iter_any():
                arrived.append(chunk)
        return web.Response()

    async def words() -> AsyncIterator[bytes]:
        yield b"before"
        os.kill(os.getpid(), signal.SIGCONT)
        yield b"woken in time"
        nonlocal may_send
        may_send = False
        # As if it had been stopped for longer than its lease.
        os.kill(os.getpid(), signal.SIGCONT)
        yield b"too late"

    handler = signal.getsignal(signal.SIGCONT)
    async with serving(hear) as url, aiohttp.ClientSession() as session:
        with (
            close_sockets_on_wake(lambda: may_send, lambda: session.connector),
            pytest.raises(aiohttp.ClientError),
        ):
            await session.post(url, data=words())

    assert b"too late" not in b"".join(arrived)
    assert signal.getsignal(signal.SIGCONT) is handler
