from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.page import message_html
from streamcord._twin.state.model import Attachment, Draft
from streamcord.twin import DrivenClock, Message, Page, Twin
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


OURS: dict[str, set[str]] = {
    "img": {"class", "alt", "src"},
    "a": {"href", "download"},
    "span": {"class", "tabindex"},
    "pre": {"data-language"},
    **{tag: {"class"} for tag in ("p", "i", "b", "div", "aside")},
    **{tag: set() for tag in ("header", "time", "strong", "em", "u", "s", "code", "small")},
    **{tag: set() for tag in ("blockquote", "h1", "h2", "h3", "br")},
}


class Reader(HTMLParser):
    """What a browser would make of it: the tags with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def post(**fields: object) -> Message:
    twin = Twin(clock=DrivenClock())
    return twin.state.post(twin.channel, twin.bot.user, Draft(**fields))  # type: ignore[arg-type]


def read(**fields: object) -> Reader:
    return Reader(message_html(post(**fields), heads=True))


def test_a_message_looks_as_discord_shows_it() -> None:
    html = message_html(
        post(content="**bold** and `code`\n- item\n> said\n```py\nx = 1\n```\n||hidden||"), heads=False
    )

    assert "<strong>bold</strong> and <code>code</code>" in html
    assert '<p class="item">• item</p>' in html
    assert "<blockquote><p>said</p></blockquote>" in html
    assert '<pre data-language="py">x = 1</pre>' in html
    assert '<span class="spoiler" tabindex="0">hidden</span>' in html


def test_the_first_of_a_block_bears_name_and_badge() -> None:
    message = post(content="x")

    assert '<span class="name">streamcord</span><b class="badge">APP</b>' in message_html(message, heads=True)
    assert "streamcord" not in message_html(message, heads=False)


def test_replies_embeds_files_and_buttons_are_shown() -> None:
    twin = Twin(clock=DrivenClock())
    said = twin.say(twin.channel, twin.user, "what is it?\nmore")
    draft = Draft(
        content="this",
        reply_to=said,
        reply_ids=(twin.channel.id, said.id),
        embeds=(
            {
                "author": {"name": "An author"},
                "title": "A title",
                "description": "**why**",
                "fields": [{"name": "Field", "value": "value"}],
                "footer": {"text": "foot"},
            },
            {},
        ),
        attachments=(
            Attachment(1, "notes.txt", b"12345", "text/plain"),
            Attachment(2, "table.png", b"", "image/png", "a | b", 4, 4),
        ),
        components=({"type": 1, "components": [{"type": 2, "label": "Stop"}]},),
    )
    page = Reader(message_html(twin.state.post(twin.channel, twin.bot.user, draft), heads=False))

    for words in ("@alice what is it?", "An author", "A title", "why", "Field", "value", "foot", "Stop"):
        assert words in page.text
    assert "notes.txt 5 bytes" in page.text
    assert ("img", f"/cdn/attachments/{twin.channel.id}/2/table.png", "a | b") in [
        (tag, has.get("src"), has.get("alt")) for tag, has in page.tags
    ]


def test_a_reply_to_a_message_that_is_gone_says_so() -> None:
    assert "Original message was deleted" in read(content="x", reply_ids=(1, 2)).text


@settings(max_examples=200)
@given(
    st.text(max_size=80)
    | st.sampled_from(["<script>x</script>", '"><img src=x onerror=x>', "&lt;", "\u202e"])
)
def test_no_text_becomes_markup_of_its_own(text: str) -> None:
    embed = {"title": text, "description": text, "fields": [{"name": text, "value": text}]}
    file = Attachment(1, text or "x", b"", "text/plain", text)
    picture = Attachment(1, text or "x", b"", "image/png", text, 1, 1)
    fields = {"username": text, "avatar_url": text, "embeds": (embed,), "attachments": (file, picture)}
    for content in (text, f"```{text}\n{text}```", f"> {text}", f"[{text}](https://{text})", f"||{text}||"):
        for tag, attributes in read(content=content, **fields).tags:
            assert tag in OURS
            assert attributes.keys() <= OURS[tag]
            for name in ("src", "href"):
                assert (attributes.get(name) or "/cdn/").startswith("/cdn/")


def test_what_turns_a_line_around_is_a_box() -> None:
    assert "a□b" in read(content="a\u202eb").text
    assert "\x1b" not in read(content="a\x1b[31mb").text


def test_a_picture_of_the_twin_itself_is_shown_and_no_other() -> None:
    def face(address: str) -> str | None:
        return next(attrs["src"] for tag, attrs in read(content="x", avatar_url=address).tags if tag == "img")

    assert face("http://127.0.0.1:80/cdn/avatars/1/0a.png") == "/cdn/avatars/1/0a.png"
    for other in ("https://example.com/cdn/avatars/1/0a.png", "http://127.0.0.1:80/cdn/avatars/1/../x.png"):
        found = face(other)
        assert found is not None
        assert found.startswith("/cdn/embed/avatars/")


def test_a_bot_with_a_picture_shows_it() -> None:
    twin = Twin(clock=DrivenClock())
    twin.bot.user.avatar = "0a0b"
    message = twin.state.post(twin.channel, twin.bot.user, Draft(content="x"))

    assert f'src="/cdn/avatars/{twin.bot.id}/0a0b.png"' in message_html(message, heads=True)
