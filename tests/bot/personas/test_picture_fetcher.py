"""Pictures by address: from the open internet only, small, quick, and pictures indeed.

A server on 127.0.0.2 plays the internet, one on 127.0.0.1 the private network that must not be asked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from streamcord.store import Picture
from streamcord_bot.personas.picture_fetcher import Fetcher, FetchError, is_public
from streamcord_bot.personas.pictures import check_picture, plain_png

PICTURE = plain_png(8, (1, 2, 3))
OUTSIDE, INSIDE = "127.0.0.2", "127.0.0.1"


async def check(content: bytes) -> Picture:
    return Picture("", content, check_picture(content).kind)


@dataclass
class Net:
    """Two servers and what they were asked."""

    port: int
    asked: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)

    def fetcher(self, seconds: float = 10.0) -> Fetcher:
        async def lookup(host: str, _: int) -> list[str]:
            return self.names[host]

        return Fetcher(
            allow=lambda address: address == OUTSIDE,
            lookup=lookup,
            ports=frozenset({self.port}),
            seconds=seconds,
        )

    def url(self, path: str, host: str = OUTSIDE) -> str:
        return f"http://{host}:{self.port}{path}"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{request.host} {request.path}")
        match request.path:
            case "/picture.png":
                return web.Response(body=PICTURE)
            case "/page":
                return web.Response(text="<html>")
            case "/inside":
                raise web.HTTPFound(self.url("/picture.png", INSIDE))
            case "/named":
                raise web.HTTPFound(self.url("/picture.png", "trap.example"))
            case "/moved":
                raise web.HTTPMovedPermanently("picture.png")
            case "/scheme":
                raise web.HTTPFound("file:///etc/passwd")
            case "/round":
                raise web.HTTPFound("/round")
            case "/endless" | "/large":
                return await self._stream(request)
            case "/packed":
                return web.Response(body=PICTURE, headers={"Content-Encoding": "gzip"})
            case "/silent":
                await asyncio.Event().wait()
        raise web.HTTPNotFound

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)


@pytest.fixture
async def net() -> AsyncIterator[Net]:
    with socket.socket() as probe:
        probe.bind((OUTSIDE, 0))
        net = Net(probe.getsockname()[1])
    app = web.Application()
    app.router.add_get("/{path:.*}", net.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.01, handler_cancellation=True)
    await runner.setup()
    for host in (OUTSIDE, INSIDE):
        await web.TCPSite(runner, host, net.port).start()
    yield net
    await runner.cleanup()


async def test_a_picture_is_fetched_with_its_kind(net: Net) -> None:
    picture = await net.fetcher().fetch_picture(net.url("/picture.png"), check)

    assert (picture.url, picture.content, picture.kind) == (net.url("/picture.png"), PICTURE, "image/png")


async def test_a_redirect_is_followed_and_names_are_looked_up_once(net: Net) -> None:
    net.names["pictures.example"] = [OUTSIDE]

    picture = await net.fetcher().fetch_picture(net.url("/moved", "pictures.example"), check)

    assert picture.content == PICTURE
    assert [line.partition(" ")[2] for line in net.asked] == ["/moved", "/picture.png"]


@pytest.mark.parametrize("path", ["/inside", "/named", "/scheme"])
async def test_a_redirect_into_the_network_is_not_followed(net: Net, path: str) -> None:
    net.names["trap.example"] = [INSIDE]

    with pytest.raises(FetchError):
        await net.fetcher().fetch_picture(net.url(path), check)
    assert len(net.asked) == 1


@pytest.mark.parametrize("addresses", [[INSIDE], [OUTSIDE, INSIDE], ["::1"], []])
async def test_a_name_that_leads_inside_is_not_asked(net: Net, addresses: list[str]) -> None:
    net.names["trap.example"] = addresses

    with pytest.raises(FetchError, match="private network, so nothing was fetched"):
        await net.fetcher().fetch_picture(net.url("/picture.png", "trap.example"), check)
    assert net.asked == []


async def test_a_name_that_changes_its_mind_is_held_to_its_first_word(net: Net) -> None:
    answers = iter([[OUTSIDE], [INSIDE]])

    async def lookup(_: str, __: int) -> list[str]:
        return next(answers)

    fetcher = Fetcher(allow=lambda address: address == OUTSIDE, lookup=lookup, ports=frozenset({net.port}))
    assert (await fetcher.fetch_picture(net.url("/picture.png", "rebind.example"), check)).content == PICTURE
    with pytest.raises(FetchError):
        await fetcher.fetch_picture(net.url("/picture.png", "rebind.example"), check)
    assert len(net.asked) == 1


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.0.0.1",
            "localhost",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ),
        *("①②⑦.⓪.⓪.①", "0.0.0.0", "[::]", "127.0.0.1.", "LOCALHOST", "[64:ff9b::7f00:1]", "[::127.0.0.1]"),
    ],
)
async def test_no_spelling_of_this_machine_is_asked(net: Net, host: str) -> None:
    fetcher = Fetcher(ports=frozenset({net.port}), seconds=5)

    with pytest.raises(FetchError):
        await fetcher.fetch_picture(net.url("/picture.png", host), check)
    assert net.asked == []


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "picture.png",
            "ftp://example.com/x",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://",
            "http:///x",
        ),
        *(
            "http://user:pass@example.com/x",
            "http://[::1",
            "data:image/png;base64,AA",
            "https:",
        ),
        "https://example.com/" + "x" * 3000,
        *("http://example.com:22/x", "https://example.com:6379/"),
    ],
)
async def test_what_is_no_address_of_a_picture_is_refused(address: str) -> None:
    with pytest.raises(FetchError):
        await Fetcher(lookup=_nobody).fetch_picture(address, check)


async def _nobody(host: str, port: int) -> list[str]:
    raise AssertionError(f"{host}:{port} was looked up")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/page", "not a picture"),
        ("/gone", "it says 404"),
        ("/round", "without an end"),
        ("/endless", "larger than 8 MB"),
    ],
)
async def test_what_is_there_must_be_a_picture(net: Net, path: str, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        await net.fetcher().fetch_picture(net.url(path), check)


async def test_a_packed_answer_is_not_unpacked(net: Net) -> None:
    assert await net.fetcher().fetch(net.url("/packed")) == PICTURE


async def test_a_server_that_says_nothing_is_left_after_a_while(net: Net) -> None:
    with pytest.raises(FetchError, match=r"did not answer within 0.05 seconds"):
        await net.fetcher(0.05).fetch_picture(net.url("/silent"), check)


async def test_a_server_that_is_not_there_is_an_error_for_people(net: Net) -> None:
    fetcher = Fetcher(allow=lambda _: True, ports=frozenset({1}))
    with pytest.raises(FetchError, match="cannot be reached"):
        await fetcher.fetch_picture("http://127.0.0.2:1/x.png", check)


PUBLIC = "1.1.1.1 8.8.8.8 2606:4700::1111 64:ff9b::808:808 2002:808:808::1"
PRIVATE = (
    "10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1 192.0.2.1 "
    "198.18.0.1 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fec0::1 ff02::1 2001:db8::1 ::ffff:10.0.0.1 2002:a00::1 "
    "64:ff9b::a00:1 2001:0:1::1 ::127.0.0.1 localhost 127.1"
)


@pytest.mark.parametrize(
    ("address", "public"),
    [*((address, True) for address in PUBLIC.split()), *((address, False) for address in PRIVATE.split())],
)
def test_public_addresses_are_told_from_all_others(address: str, public: bool) -> None:
    assert is_public(address) is public
