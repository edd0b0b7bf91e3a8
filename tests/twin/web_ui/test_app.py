from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

import discord_twin.web_ui.app as page_room
from discord_twin import DrivenClock, Permission, Twin, WebUI
from discord_twin.state.models import Draft
from twin.conftest import FREE


@pytest.fixture
async def twin(clock: DrivenClock) -> AsyncIterator[Twin]:
    async with Twin(FREE, clock=clock) as started:
        page = WebUI(started)
        yield started
        page.close()


@pytest.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@asynccontextmanager
async def watching(
    twin: Twin, browser: aiohttp.ClientSession, query: str = ""
) -> AsyncIterator[AsyncIterator[Any]]:
    async def read(response: aiohttp.ClientResponse) -> AsyncIterator[Any]:
        async for line in response.content:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    async with browser.get(f"{twin.base_url}/page/events{query}") as response:
        assert response.content_type == "text/event-stream"
        yield read(response)


async def test_the_page_and_its_parts_come_from_the_twin_alone(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    folder = Path(page_room.__file__).with_name("static")
    files = [f"/page/{one.name}" for one in folder.iterdir() if one.suffix != ".png"]
    assert len(files) > 10
    for path in ("/", *files):
        async with browser.get(twin.base_url + path) as response:
            text = await response.text()

            assert response.status == 200
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert "://" not in text
            assert "url(" not in text
            # Nothing reads markup or scripts out of text; the browser would refuse it, too.
            assert "require-trusted-types-for 'script'" in response.headers["Content-Security-Policy"]
            for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"):
                assert sink not in text
    for path in ("/page/icon.png", "/favicon.ico"):
        async with browser.get(twin.base_url + path) as response:
            assert (response.status, response.content_type) == (200, "image/png")
    for path in ("/page/nothing", "/page/..%2f__init__.py", "/page/__init__.py"):
        async with browser.get(URL(twin.base_url + path, encoded=True)) as response:
            assert response.status == 404


async def test_what_is_there_comes_first_and_then_what_happens(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    twin.say(twin.channel, twin.user, "before")
    async with watching(twin, browser) as news:
        first = await anext(news)
        message = twin.state.post(twin.channel, twin.bot.user, Draft(content="**now**"))
        put, marks = await anext(news), await anext(news)
        twin.state.edit(twin.channel, message, Draft(content="then"))
        edited = await anext(news)
        twin.users.react(message, "🎉", twin.user)
        reacted = await anext(news)
        twin.delete(message)
        dropped = await anext(news)

    assert (first["kind"], first["server"], first["me"]["name"]) == ("all", "Twin", "alice")
    assert [one["name"] for one in first["channels"]] == ["general"]
    assert [one["raw"] for one in first["messages"]] == ["before"]
    assert (put["kind"], put["new"]) == ("put", True)
    assert put["text"] == [{"line": "text", "lead": "", "runs": [{"text": "now", "styles": ["bold"]}]}]
    assert (marks["kind"], marks["id"]) == ("marks", put["id"])
    assert (edited["id"], edited["edited"], edited["new"]) == (put["id"], True, False)
    assert [one["me"] for one in reacted["reactions"]] == [True]
    assert dropped == {"kind": "drop", "channel": str(twin.channel.id), "id": str(message.id)}


async def test_new_channels_and_typing_are_sent_to_the_page(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    async with watching(twin, browser) as news:
        await anext(news)
        twin.add_channel("other")
        places = await anext(news)
        headers = {"Authorization": f"Bot {twin.token}"}
        async with browser.post(f"{twin.api_url}/channels/{twin.channel.id}/typing", headers=headers):
            typing = await anext(news)

    assert [one["name"] for one in places["channels"]] == ["general", "other"]
    channel, bot = str(twin.channel.id), str(twin.bot.id)
    assert typing == {"kind": "typing", "channel": channel, "id": bot, "name": "streamcord"}


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
        ("own", '{"channel": "1e3"}', 400),
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
    page = WebUI(twin)
    async with watching(twin, browser) as news:
        await anext(news)
        assert len(page._viewers) == 1

    # Whether someone still listens is only seen when there is something to tell.
    async with asyncio.timeout(10):
        while page._viewers:
            twin.say(twin.channel, twin.user, "anybody?")
            await asyncio.sleep(0.01)


async def test_everybody_sees_their_own_page(twin: Twin, browser: aiohttp.ClientSession) -> None:
    """A channel that is closed to someone, and an answer for someone else, are not told to them."""
    bob = twin.add_user("bob")
    secret = twin.add_channel("secret")
    twin.state.overwrite(secret, bob, deny=Permission.VIEW_CHANNEL)
    twin.say(secret, twin.user, "not for bob")
    address = f"{twin.base_url}/page/messages?channel={secret.id}"
    async with browser.get(address) as response:
        assert [one["raw"] for one in (await response.json())["messages"]] == ["not for bob"]
    async with browser.get(f"{address}&as={bob.id}") as response:
        assert response.status == 400
    async with watching(twin, browser, f"?as={bob.id}") as news:
        first = await anext(news)
        twin.say(secret, twin.user, "still not")
        twin.say(twin.channel, twin.user, f"for <@{bob.id}>")
        put, marks = await anext(news), await anext(news)

    assert first["me"]["name"] == "bob"
    assert [one["name"] for one in first["channels"]] == ["general"]
    assert (put["raw"], put["to_me"], put["mine"]) == (f"for <@{bob.id}>", True, False)
    assert (marks["mark"], marks["unread"], marks["mentions"]) == ("push", 1, 1)


async def test_older_messages_come_when_they_are_asked_for(
    twin: Twin, browser: aiohttp.ClientSession
) -> None:
    for number in range(130):
        twin.say(twin.channel, twin.user, str(number))
    seen: list[str] = []
    more, before = True, ""
    while more:
        address = f"{twin.base_url}/page/messages?channel={twin.channel.id}&before={before}"
        async with browser.get(address) as response:
            answer = await response.json()
        seen = [one["raw"] for one in answer["messages"]] + seen
        more, before = answer["more"], answer["messages"][0]["id"]

    assert seen == [str(number) for number in range(130)]


async def test_a_page_that_does_not_read_is_disconnected(twin: Twin, browser: aiohttp.ClientSession) -> None:
    page = WebUI(twin)
    async with watching(twin, browser) as news:
        await anext(news)
        (viewer,) = page._viewers
        for number in range(page_room._MAX_QUEUED + 10):
            page._put(viewer, {"kind": "typing", "channel": "1", "id": str(number), "name": "x"})
        async with asyncio.timeout(10):
            events = [one async for one in news]

    assert len(events) == page_room._MAX_QUEUED


async def test_the_page_asks_the_explain_function(twin: Twin, browser: aiohttp.ClientSession) -> None:
    page = WebUI(twin)
    message = twin.say(twin.channel, twin.user, "x")
    address = f"{twin.base_url}/page/why?channel={twin.channel.id}&message={message.id}"
    async with browser.get(address) as response:
        assert await response.json() == {}
    page.explain = lambda id_: {"facts": [["message", str(id_)]]}
    async with browser.get(address) as response:
        assert await response.json() == {"facts": [["message", str(message.id)]]}
    async with browser.get(f"{twin.base_url}/page/why?channel=no") as response:
        assert response.status == 400


async def test_an_act_that_is_not_offered_says_why(twin: Twin, browser: aiohttp.ClientSession) -> None:
    twin.configure(file_limit=3)
    file = {"name": "a.txt", "data": "YWJjZA=="}
    words = json.dumps({"channel": str(twin.channel.id), "files": [file]})
    headers = {"Origin": twin.base_url}
    async with browser.post(f"{twin.base_url}/page/say", data=words, headers=headers) as response:
        assert (response.status, "at most" in (await response.json())["refused"]) == (200, True)
    assert twin.channel.texts == []
