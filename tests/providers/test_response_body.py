from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from providers.loopback import DONE, HEAD, Response, chat, now, refusing, serving, streaming, timeless, wired
from streamcord._events import Finish, KeepAlive, ProviderEvent, TextDelta
from streamcord._exceptions import Truncated
from streamcord._providers.apis.registry import OpenAIChat
from streamcord._providers.response_body import ResponseBody, read_error_body
from streamcord._providers.response_reader import ResponseReader, Timeouts

ALIVE = b": alive\n\n"


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[aiohttp.ClientResponse]:
    async with aiohttp.ClientSession() as session, session.post(url, json={}) as response:
        yield response


def reads_of(response: aiohttp.ClientResponse, timeouts: Timeouts | None = None) -> ResponseBody:
    return ResponseBody(response, ResponseReader(OpenAIChat().decoder(), timeouts))


async def read_out(reads: ResponseBody) -> list[ProviderEvent]:
    events: list[ProviderEvent] = []
    try:
        while not reads.at_end:
            events += await reads.read()
        return [*events, *reads.flush(), *reads.finish()]
    finally:
        reads.close()


@pytest.mark.parametrize("count", [1, 3, 30])
async def test_words_that_came_in_one_read_are_one_event(count: int) -> None:
    words = b"".join(chat(f"{number} ") for number in range(count))
    end = chat("", "stop") + DONE

    async with serving(streaming(words + ALIVE + words + end)) as server, opened(server.url) as response:
        events = await read_out(reads_of(response))

    said = TextDelta("".join(f"{number} " for number in range(count)))
    assert events == [said, KeepAlive(), said, Finish()]


async def test_a_connection_that_ends_says_why_after_its_last_words() -> None:
    async with serving(streaming(chat("Hel"), chat("lo"))) as server, opened(server.url) as response:
        reads = reads_of(response)
        events: list[ProviderEvent] = []
        while not reads.at_end:
            events += await reads.read()

        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Hello"
        assert reads.flush() == []
        with pytest.raises(Truncated, match="connection closed"):
            reads.finish()


@timeless
async def test_a_server_that_falls_silent_is_told_apart_from_one_that_hangs_up() -> None:
    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("Hello"))
        await reader.read()

    async with wired(wire) as server, opened(server.url) as response:
        began = now()
        with pytest.raises(Truncated, match="silent") as raised:
            await read_out(reads_of(response, Timeouts(idle=60)))

        assert now() - began == pytest.approx(60, abs=1)
        assert isinstance(raised.value.__cause__, TimeoutError)


@pytest.mark.parametrize(
    ("answer", "page"),
    [(refusing(500, "x" * 5000), b"x" * 1000), (refusing(500, "no"), b"no"), (refusing(500, b""), b"")],
)
async def test_a_page_is_read_to_its_end_or_its_cap(answer: Response, page: bytes) -> None:
    async with serving(answer) as server, opened(server.url) as response:
        assert await read_error_body(response, 5, 1000) == page


@timeless
async def test_of_a_page_that_does_not_end_what_came_is_kept() -> None:
    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"bad gateway")
        await reader.read()

    async with wired(wire) as server, opened(server.url) as response:
        assert await read_error_body(response, 5, 1000) == b"bad gateway"
