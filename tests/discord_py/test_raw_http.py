from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from delivery.stage import FREE
from discord_twin import FaultKind, Twin, Webhook
from discord_twin.discord_py import connect_discord_py
from streamcord import Attachment, DeliveryUnavailable, DeliveryUncertain
from streamcord._discord.raw_http import RawHttp, Response
from streamcord.discord import redirect_discord_py


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Twin, Webhook, RawHttp, str]]:
    async with Twin(FREE) as twin, aiohttp.ClientSession() as session:
        hook = twin.state.add_webhook(twin.channel, "luna", twin.bot.user)
        with connect_discord_py(twin):
            yield twin, hook, RawHttp(session), f"/webhooks/{hook.id}/{hook.token}"


async def test_an_answer_has_its_status_headers_and_body() -> None:
    async with connected() as (twin, hook, http, path):
        answer = await http.request("POST", path, {"content": "é \ud800"}, params={"wait": "true"})

        assert (answer.ok, answer.code, answer.fields) == (True, 0, ())
        assert answer.body["webhook_id"] == str(hook.id)
        assert twin.channel.texts == ["é ?"]


async def test_a_refusal_is_an_answer_too() -> None:
    async with connected() as (_, _, http, path):
        answer = await http.request("POST", path, {"content": "x" * 2001})

        assert (answer.status, answer.code, answer.fields) == (400, 50035, ("content",))
        assert not answer.ok
        assert not answer.is_ambiguous


@pytest.mark.parametrize("name", ["a.txt", 'a".txt', "a\r\nX: y.txt", "日本.txt", ""])
async def test_files_are_sent_with_names_that_cannot_break_their_header(name: str) -> None:
    async with connected() as (twin, _, http, path):
        files = [Attachment(name, b"abc"), Attachment("b.bin", b"\0\xff")]
        payload = {"content": "x", "attachments": [{"id": 0, "description": "letters"}, {"id": 1}]}
        answer = await http.request("POST", path, payload, files)
        (message,) = twin.channel.messages.values()

        assert answer.ok
        assert [file.content for file in message.attachments] == [b"abc", b"\0\xff"]
        assert message.attachments[0].description == "letters"


@pytest.mark.parametrize("status", [500, 502, 524])
async def test_a_server_error_is_unclear_and_asked_once(status: int) -> None:
    async with connected() as (twin, _, http, path):
        twin.inject_fault(FaultKind.STATUS, status=status)
        answer = await http.request("POST", path, {"content": "x"})

        assert answer.is_ambiguous
        assert twin.log.count("webhooks.execute") == 1


async def test_an_overloaded_discord_that_says_so_has_done_nothing() -> None:
    async with connected() as (twin, _, http, path):
        twin.inject_fault(FaultKind.ERROR_CODE, code=130000)

        assert not (await http.request("POST", path, {"content": "x"})).is_ambiguous


@pytest.mark.parametrize("fault", [FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT])
async def test_a_connection_that_breaks_leaves_doubt(fault: FaultKind) -> None:
    async with connected() as (twin, _, http, path):
        await http.request("GET", path)
        twin.inject_fault(fault)
        with pytest.raises(DeliveryUncertain):
            await http.request("POST", path, {"content": "x"})

        assert twin.log.count("webhooks.execute") == 1


async def test_a_connection_that_never_came_about_leaves_none() -> None:
    async with connected() as (twin, _, http, path):
        await twin.go_offline()
        with pytest.raises(DeliveryUnavailable):
            await http.request("POST", path, {"content": "x"})


async def test_nothing_that_is_raised_or_logged_holds_the_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with connected() as (twin, hook, http, path):
        twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        with pytest.raises(DeliveryUncertain) as lost:
            await http.request("POST", path, {"content": "x"})
        await twin.go_offline()
        with pytest.raises(DeliveryUnavailable) as dark:
            await http.request("POST", path, {"content": "x"})

        for raised in (lost.value, dark.value):
            assert hook.token not in f"{raised!r} {raised.__cause__!r}"
        assert hook.token not in repr(http)
        assert hook.token not in caplog.text


async def test_a_token_is_not_carried_to_another_address() -> None:
    async with connected() as (twin, _, http, path):

        async def lead_away(_: object, rest: str) -> web.Response:
            return web.Response(status=307, headers={"Location": f"{twin.api_url}/{rest}"})

        twin.mount("away", lead_away)
        with redirect_discord_py(f"{twin.base_url}/away", twin.gateway_url, twin.cdn_url):
            answer = await http.request("POST", path, {"content": "x"})

        assert (answer.status, twin.channel.texts) == (307, [])


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({}, {"retry_after": 0.3}, 0.3),
        ({"Retry-After": "7"}, {}, 7.0),
        ({"Retry-After": "soon"}, {"retry_after": None}, 1.0),
        # A pause that Discord would never ask for is not believed.
        ({}, {"retry_after": -5}, 1.0),
        ({"Retry-After": "-1"}, {}, 1.0),
        ({}, {"retry_after": float("nan")}, 1.0),
        ({}, {"retry_after": float("inf")}, 30.0),
        ({}, {"retry_after": 31_536_000}, 30.0),
        ({}, {"retry_after": 600}, 600.0),
        ({}, {"retry_after": 0}, 0.05),
    ],
)
def test_a_pause_is_read_from_the_body_or_the_header(
    headers: dict[str, str], body: dict[str, object], seconds: float
) -> None:
    assert Response(429, headers, body).retry_after == seconds


@pytest.mark.parametrize("body", [{"code": "x"}, {"errors": []}, {"errors": {"a": 1}}, {}])
def test_a_body_of_another_shape_says_nothing(body: dict[str, object]) -> None:
    answer = Response(400, {}, body)

    assert (answer.code, answer.fields) == (0, ())
