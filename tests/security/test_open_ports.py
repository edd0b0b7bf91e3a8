"""The ports that the bot and the twin open: who may ask, how many may connect, and what malformed requests do."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from discord_twin import Twin, WebUI
from streamcord_bot.ops.metrics import MAX_CONNECTIONS, Metrics, serve_metrics
from twin.conftest import FREE


@pytest.mark.parametrize("path", ["metrics", "health"])
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:9100", 200), ("localhost", 200), ("[::1]:9100", 200), ("bot.localhost:1", 200),
        ("evil.example", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example:80", 403), ("", 403),
    ],
)  # fmt: skip
async def test_metrics_on_loopback_are_for_loopback_names(path: str, host: str, status: int) -> None:
    async with (
        serve_metrics(Metrics(), 0) as port,
        aiohttp.ClientSession(headers={"Host": host}) as session,
        session.get(f"http://127.0.0.1:{port}/{path}") as response,
    ):
        assert response.status == status


async def test_metrics_on_all_addresses_are_for_every_name() -> None:
    async with (
        serve_metrics(Metrics(), 0, "0.0.0.0") as port,
        aiohttp.ClientSession(headers={"Host": "bot:9100"}) as session,
        session.get(f"http://127.0.0.1:{port}/health") as response,
    ):
        assert response.status == 200


async def test_silent_connections_keep_neither_files_nor_the_port() -> None:
    async with serve_metrics(Metrics(), 0) as port, aiohttp.ClientSession() as session:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3 * MAX_CONNECTIONS)]
        async with session.get(f"http://127.0.0.1:{port}/health") as response:
            assert response.status == 200
        # The oldest were closed, the newest are still open.
        closed = [asyncio.ensure_future(reader.read()) for reader, _ in silent]
        done, _ = await asyncio.wait(closed[: 2 * MAX_CONNECTIONS], timeout=30)
        assert len(done) == 2 * MAX_CONNECTIONS
        assert not closed[-1].done()
        for _, writer in silent:
            writer.close()
        await asyncio.gather(*closed, return_exceptions=True)


HOSTILE_BODIES = (
    '{"channel": 1e999}', '{"channel": -1e999}', '{"channel": NaN}', "[" * 100_000, '{"a":' * 50_000, "null", "[]", "7",
    '{"channel": "9" }', '{"channel": "%s"}' % ("9" * 6000), '{"channel": {}}', "\x00", "{",
)  # fmt: skip


async def test_the_page_of_the_twin_answers_malformed_requests_with_an_error_of_the_client() -> None:
    async with Twin(FREE) as twin, aiohttp.ClientSession(headers={"Origin": twin.base_url}) as session:
        page, statuses = WebUI(twin), dict[str, int]()
        for act in sorted(page._acts._acts):
            for body in HOSTILE_BODIES:
                async with session.post(f"{twin.base_url}/page/{act}", data=body) as response:
                    statuses[f"{act} {body[:30]}"] = response.status
        for path in ("x" * 5000, "x" * 200 + ".js", "events?as=" + "9" * 5000, "why?channel=1e9&message=1"):
            async with session.get(f"{twin.base_url}/page/{path}") as response:
                statuses[path[:30]] = response.status
                await response.content.readany()
        page.close()

    assert {path: status for path, status in statuses.items() if status >= 500} == {}
