"""A bot may start before its network: it waits for Discord and says so."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from email.utils import formatdate
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from discord_twin import Twin
from streamcord_bot.ops import connectivity as reaching
from streamcord_bot.ops.connectivity import DiscordClock, leave_discord, set_clock, wait_for_discord

QUICK = (0.01, 0.02)


async def until_told(caplog: pytest.LogCaptureFixture) -> None:
    while not caplog.records:  # noqa: ASYNC110  (logs tell no one that they were written)
        await asyncio.sleep(0)


async def test_a_discord_that_is_there_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async with Twin() as twin:
        assert await wait_for_discord(twin.base_url, asyncio.Event())

    assert caplog.records == []


async def test_it_asks_until_somebody_answers_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    answers = iter([502, 503, 200])
    asked: list[web.Request] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request)
        return web.Response(status=next(answers))

    app = web.Application()
    app.router.add_get("/api/v10/gateway", answer)
    caplog.set_level(logging.INFO, "streamcord_bot")
    async with TestServer(app) as server:
        assert await wait_for_discord(str(server.make_url("")), asyncio.Event(), pauses=QUICK)

    told = [record.getMessage() for record in caplog.records]
    assert (
        told[0] == "Discord cannot be reached (it answered 502): trying again in 0.01 s; is the network up?"
    )
    assert "(it answered 503): trying again in 0.02 s" in told[1]
    assert told[2] == "Discord can be reached after 3 attempts"
    assert all("Authorization" not in request.headers for request in asked)


async def test_whoever_is_told_to_end_waits_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # no one listens
        ending = asyncio.Event()
        waiting = asyncio.create_task(
            wait_for_discord(f"http://127.0.0.1:{taken.getsockname()[1]}", ending, pauses=(600.0,))
        )
        async with asyncio.timeout(20):
            await until_told(caplog)
            ending.set()
            assert not await waiting

    assert "cannot be reached (ClientConnectorError)" in caplog.text


async def test_somebody_who_never_answers_is_no_discord(caplog: pytest.LogCaptureFixture) -> None:
    ending = asyncio.Event()

    async def be_silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ending.wait()
        writer.close()

    server = await asyncio.start_server(be_silent, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    waiting = asyncio.create_task(wait_for_discord(address, ending, pauses=(600.0,), timeout_s=0.05))
    async with asyncio.timeout(20):
        await until_told(caplog)
        ending.set()
        assert not await waiting
    server.close()

    assert "(no answer in 0.05 s)" in caplog.text


@pytest.mark.parametrize(("header", "seconds"), [("900", "900"), ("", "60")])
async def test_a_ban_is_waited_out_and_not_made_longer(
    header: str, seconds: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": header} if header else {})

    app = web.Application()
    app.router.add_get("/api/v10/gateway", refuse)
    ending = asyncio.Event()
    async with TestServer(app) as server:
        waiting = asyncio.create_task(wait_for_discord(str(server.make_url("")), ending, pauses=QUICK))
        await until_told(caplog)
        ending.set()

        assert not await waiting
    assert f"(it answered 429): trying again in {seconds} s" in caplog.text


async def test_a_gateway_that_does_not_say_goodbye_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "CLOSE_TIMEOUT_S", 0.05)
    over = asyncio.Event()

    async def say_nothing(request: web.Request) -> web.StreamResponse:
        await web.WebSocketResponse().prepare(request)
        await over.wait()
        return web.Response()

    app = web.Application()
    app.router.add_get("/", say_nothing)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        timeout = aiohttp.ClientWSTimeout(ws_close=3600.0)
        socket_ = await session.ws_connect(server.make_url("/"), timeout=timeout)
        http: Any = session
        async with asyncio.timeout(60):
            await leave_discord(http, _close(socket_))
        over.set()

    assert socket_.closed


async def _close(socket_: aiohttp.ClientWebSocketResponse) -> None:
    await socket_.close()


# --- What time it is, whatever the clock of the machine says ---

TRUE = 1_800_000_000.0
"""What time it is in these tests, by Discord's clock."""


class Machine:
    """Its clock, which may be set, and the seconds since it was turned on, which may not."""

    def __init__(self, wrong: float = 0.0) -> None:
        self.wall, self.steady = TRUE + wrong, 500.0
        self.clock = DiscordClock(lambda: self.wall, lambda: self.steady)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


@pytest.mark.parametrize("wrong", [0.0, 300.0, 10_800.0, 90_000.0, -90_000.0, -TRUE])
def test_what_discord_says_counts(wrong: float) -> None:
    machine = Machine(wrong)
    assert machine.clock() == TRUE + wrong
    machine.clock.set_by(formatdate(TRUE, usegmt=True))
    assert machine.clock() == TRUE


def test_a_clock_that_is_set_while_the_bot_runs_changes_nothing() -> None:
    machine = Machine()
    machine.clock.set_by(formatdate(TRUE, usegmt=True))
    for jump in (3600.0, -7200.0, 90_000.0, -TRUE):
        machine.wall += jump
        before = machine.clock()
        machine.wait(5.0)
        assert machine.clock() == before + 5.0


@pytest.mark.parametrize("date", ["", "yesterday", "Wed, 99 Nov 2026 00:00:00 GMT", "1" * 5000, "\x00"])
def test_what_is_no_date_changes_nothing(date: str) -> None:
    machine = Machine(60.0)
    machine.clock.set_by(date)
    assert machine.clock() == machine.wall


@pytest.mark.parametrize(
    ("wrong", "words"),
    [(90.0, "2 minutes ahead"), (-3600.0, "60 minutes behind"), (30.0, ""), (-30.0, "")],
)
def test_the_operator_is_told_of_a_clock_that_is_wrong(
    wrong: float, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    Machine(wrong).clock.set_by(formatdate(TRUE, usegmt=True))
    assert words in caplog.text
    assert bool(caplog.records) == bool(words)


async def test_discord_is_asked_again_after_a_while_and_not_before() -> None:
    machine, asked = Machine(), 0

    async def ask() -> None:
        nonlocal asked
        asked += 1
        machine.clock.set_by(formatdate(TRUE, usegmt=True))

    await machine.clock.check()
    machine.clock.ask = ask
    await machine.clock.check()
    await machine.clock.check()
    assert asked == 1
    machine.wait(61.0)
    await machine.clock.check()
    assert asked == 2


async def test_who_waits_for_discord_learns_what_time_it_is() -> None:
    clocks = [DiscordClock(lambda: time.time() + 90_000) for _ in range(3)]
    async with Twin() as twin:
        assert await wait_for_discord(twin.base_url, asyncio.Event(), clocks[0])
        await set_clock(twin.base_url, clocks[1])
        away = twin.base_url
    await set_clock(away, clocks[2])

    assert [round(clock() - time.time(), -1) for clock in clocks] == [0.0, 0.0, 90_000.0]
