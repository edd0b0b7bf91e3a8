from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from streamcord._twin.state.model import Draft
from streamcord.twin import DrivenClock, Page, Twin
from twin.conftest import FREE


@pytest.fixture
async def twin(clock: DrivenClock) -> AsyncIterator[Twin]:
    async with Twin(FREE, clock=clock) as started:
        page = Page(started)
        yield started
        page.close()


@pytest.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@asynccontextmanager
async def watching(twin: Twin, browser: aiohttp.ClientSession) -> AsyncIterator[AsyncIterator[Any]]:
    async def read(response: aiohttp.ClientResponse) -> AsyncIterator[Any]:
        async for line in response.content:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    async with browser.get(f"{twin.base_url}/page/events") as response:
        assert response.content_type == "text/event-stream"
        yield read(response)


async def test_the_page_and_its_parts_come_from_the_twin_alone(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    for path in ("/", "/page/page.css", "/page/page.js"):
        async with browser.get(twin.base_url + path) as response:
            text = await response.text()

            assert response.status == 200
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert "://" not in text
            assert "url(" not in text
    async with browser.get(f"{twin.base_url}/page/nothing") as response:
        assert response.status == 404


async def test_what_is_there_comes_first_and_then_what_happens(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    twin.say(twin.channel, twin.user, "before")
    async with watching(twin, browser) as news:
        first = await anext(news)
        message = twin.state.post(twin.channel, twin.bot.user, Draft(content="**now**"))
        put = await anext(news)
        twin.state.edit(twin.channel, message, Draft(content="then"))
        edited = await anext(news)
        more = twin.state.post(twin.channel, twin.bot.user, Draft(content="more"))
        follows = await anext(news)
        twin.delete(message)
        dropped, later = await anext(news), await anext(news)

    assert (first["kind"], first["server"], first["me"]) == ("all", "Twin", "alice")
    assert [one["name"] for one in first["channels"]] == ["general"]
    assert "before" in first["messages"][0]["html"]
    assert (put["kind"], put["heads"]) == ("put", True)
    assert "<strong>now</strong>" in put["html"]
    assert (edited["id"], "(edited)" in edited["html"]) == (put["id"], True)
    assert follows["heads"] is False
    assert dropped == {"kind": "drop", "id": str(message.id)}
    assert (later["id"], later["heads"]) == (str(more.id), True)


async def test_new_channels_and_typing_are_told(twin: Twin, browser: aiohttp.ClientSession) -> None:
    async with watching(twin, browser) as news:
        await anext(news)
        twin.add_channel("other")
        places = await anext(news)
        headers = {"Authorization": f"Bot {twin.token}"}
        async with browser.post(f"{twin.api_url}/channels/{twin.channel.id}/typing", headers=headers):
            typing = await anext(news)

    assert [one["name"] for one in places["channels"]] == ["general", "other"]
    assert typing == {"kind": "typing", "channel": str(twin.channel.id), "name": "streamcord"}


async def test_a_person_writes_on_the_page(twin: Twin, browser: aiohttp.ClientSession) -> None:
    words = json.dumps({"channel": str(twin.channel.id), "text": " hi bot "})
    headers = {"Origin": twin.base_url}
    async with browser.post(f"{twin.base_url}/page/say", data=words, headers=headers) as response:
        assert response.status == 204

    (message,) = twin.channel.messages.values()
    assert (message.author, message.content) == (twin.user, "hi bot")


@pytest.mark.parametrize(
    ("origin", "body", "status"),
    [
        ("https://evil.example", '{"channel": "1", "text": "x"}', 403),
        (None, "", 400),
        ("own", "no json", 400),
        ("own", "[]", 400),
        ("own", '{"channel": "1", "text": "x"}', 400),
        ("own", "empty", 400),
        (None, "good", 400),
    ],
)
async def test_m_17_nobody_else_writes_and_nonsense_is_refused(
    twin: Twin, browser: aiohttp.ClientSession, origin: str | None, body: str, status: int
) -> None:
    texts = {"good": "x", "empty": " "}
    if body in texts:
        body = json.dumps({"channel": str(twin.channel.id), "text": texts[body]})
    headers = {} if origin is None else {"Origin": twin.base_url if origin == "own" else origin}
    async with browser.post(f"{twin.base_url}/page/say", data=body, headers=headers) as response:
        assert response.status == status

    assert twin.channel.texts == []


async def test_a_reader_who_leaves_is_forgotten(twin: Twin, browser: aiohttp.ClientSession) -> None:
    page = Page(twin)
    async with watching(twin, browser) as news:
        await anext(news)
        assert len(page._viewers) == 1

    # Whether somebody still listens is only seen when there is something to tell.
    async with asyncio.timeout(10):
        while page._viewers:
            twin.say(twin.channel, twin.user, "anybody?")
            await asyncio.sleep(0.01)
