from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from delivery.stage import FREE, on_stage
from streamcord import Align, Attachment, Message, Table, Unavailable, Uncertain
from streamcord._delivery.outbox import NOBODY, Pings
from streamcord._discord.redirect import connect_discord_py, redirect_discord_py
from streamcord._discord.request import (
    Answer,
    Bucket,
    PlainHttp,
    as_allowed,
    as_file,
    as_files,
    find_bucket,
    find_client,
    find_http,
    put_name,
    reopen,
    safe_name,
)
from streamcord.twin import FaultKind, Switches, Twin, Webhook
from virtual import now, timeless

# --- Request ---


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Twin, Webhook, PlainHttp, str]]:
    async with Twin(FREE) as twin, aiohttp.ClientSession() as session:
        hook = twin.state.add_webhook(twin.channel, "luna", twin.bot.user)
        with connect_discord_py(twin):
            yield twin, hook, PlainHttp(session), f"/webhooks/{hook.id}/{hook.token}"


async def test_an_answer_has_its_status_headers_and_body() -> None:
    async with connected() as (twin, hook, http, path):
        answer = await http.request("POST", path, {"content": "é \ud800"}, params={"wait": "true"})

        assert (answer.is_done, answer.code, answer.fields) == (True, 0, ())
        assert answer.body["webhook_id"] == str(hook.id)
        assert twin.channel.texts == ["é ?"]


async def test_a_refusal_is_an_answer_too() -> None:
    async with connected() as (_, _, http, path):
        answer = await http.request("POST", path, {"content": "x" * 2001})

        assert (answer.status, answer.code, answer.fields) == (400, 50035, ("content",))
        assert not answer.is_done
        assert not answer.is_unclear


@pytest.mark.parametrize("name", ["a.txt", 'a".txt', "a\r\nX: y.txt", "日本.txt", ""])
async def test_files_are_sent_with_names_that_cannot_break_their_header(name: str) -> None:
    async with connected() as (twin, _, http, path):
        files = [Attachment(name, b"abc"), Attachment("b.bin", b"\0\xff")]
        payload = {"content": "x", "attachments": [{"id": 0, "description": "letters"}, {"id": 1}]}
        answer = await http.request("POST", path, payload, files)
        (message,) = twin.channel.messages.values()

        assert answer.is_done
        assert [file.content for file in message.attachments] == [b"abc", b"\0\xff"]
        assert message.attachments[0].description == "letters"


@pytest.mark.parametrize("status", [500, 502, 524])
async def test_a_server_error_is_unclear_and_asked_once(status: int) -> None:
    async with connected() as (twin, _, http, path):
        twin.fail(FaultKind.STATUS, status=status)
        answer = await http.request("POST", path, {"content": "x"})

        assert answer.is_unclear
        assert twin.log.count("webhooks.execute") == 1


async def test_an_overloaded_discord_that_says_so_has_done_nothing() -> None:
    async with connected() as (twin, _, http, path):
        twin.fail(FaultKind.ERROR_CODE, code=130000)

        assert not (await http.request("POST", path, {"content": "x"})).is_unclear


@pytest.mark.parametrize("fault", [FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT])
async def test_a_connection_that_breaks_leaves_doubt(fault: FaultKind) -> None:
    async with connected() as (twin, _, http, path):
        await http.request("GET", path)
        twin.fail(fault)
        with pytest.raises(Uncertain):
            await http.request("POST", path, {"content": "x"})

        assert twin.log.count("webhooks.execute") == 1


async def test_a_connection_that_never_came_about_leaves_none() -> None:
    async with connected() as (twin, _, http, path):
        await twin.go_dark()
        with pytest.raises(Unavailable):
            await http.request("POST", path, {"content": "x"})


async def test_nothing_that_is_raised_or_logged_holds_the_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with connected() as (twin, hook, http, path):
        twin.fail(FaultKind.COMMIT_THEN_DROP_ACK)
        with pytest.raises(Uncertain) as lost:
            await http.request("POST", path, {"content": "x"})
        await twin.go_dark()
        with pytest.raises(Unavailable) as dark:
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
        ({}, {"retry_after": -5}, 0.05),
        ({}, {"retry_after": 0}, 0.05),
    ],
)
def test_a_pause_is_read_from_the_body_or_the_header(
    headers: dict[str, str], body: dict[str, object], seconds: float
) -> None:
    assert Answer(429, headers, body).retry_after == seconds


@pytest.mark.parametrize("body", [{"code": "x"}, {"errors": []}, {"errors": {"a": 1}}, {}])
def test_a_body_of_another_shape_says_nothing(body: dict[str, object]) -> None:
    answer = Answer(400, {}, body)

    assert (answer.code, answer.fields) == (0, ())


# --- Request body ---


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("table.png", "table.png"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("SPOILER_a.png", "a.png"),
        ("SPOILER_SPOILER_a.png", "a.png"),
        (".hidden", "hidden"),
        ("a\nb\0c.txt", "abc.txt"),
        ("", "file"),
        ("/", "file"),
        ("...", "file"),
        ("日本語.txt", "日本語.txt"),
        ("x" * 300 + ".png", "x" * 96 + ".png"),
        ("y" * 300, "y" * 100),
        ("a." + "z" * 300, "a." + "z" * 98),
    ],
)
def test_a_file_has_a_name_that_is_only_a_name(name: str, kept: str) -> None:
    assert safe_name(name) == kept


def test_a_file_carries_its_alt_text_as_far_as_discord_takes_it() -> None:
    assert as_file(Attachment("a.txt", b"a")).description is None
    assert as_file(Attachment("a.txt", b"a", "x" * 2000)).description == "x" * 1024


def test_a_spoiler_keeps_its_cover_whatever_it_is_called() -> None:
    assert as_file(Attachment("a.txt", b"a", spoiler=True)).filename == "SPOILER_a.txt"
    assert as_file(Attachment("SPOILER_a.txt", b"a", spoiler=True)).filename == "SPOILER_a.txt"


def test_only_what_has_been_drawn_is_a_file() -> None:
    table = Table((), (), (Align.LEFT,), "")
    files = as_files(Message("", files=(table, Attachment("a.txt", b"abc"))))

    assert [(file.filename, file.fp.read()) for file in files] == [("a.txt", b"abc")]


@pytest.mark.parametrize(
    ("pings", "body"),
    [
        (NOBODY, {"parse": [], "users": []}),
        (Pings((7, 8, 7)), {"parse": [], "users": [7, 8]}),
        (Pings(tuple(range(1, 150))), {"parse": [], "users": list(range(1, 101))}),
        (Pings(users=True), {"parse": ["users"]}),
        (Pings(users=True, roles=True), {"parse": ["users", "roles"]}),
        (Pings(replied_user=True), {"parse": [], "users": [], "replied_user": True}),
    ],
)
def test_whom_it_may_ping_is_said_in_full(pings: Pings, body: dict[str, object]) -> None:
    said = as_allowed(pings).to_dict()

    assert said.keys() == body.keys()
    assert {name: sorted(value) if isinstance(value, list) else value for name, value in said.items()} == {
        name: sorted(value) if isinstance(value, list) else value for name, value in body.items()
    }


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("", "Hi.", "Hi."),
        ("Luna", "Hi.", "**Luna:** Hi."),
        ("Luna", "- a", "**Luna:**\n- a"),
        ("Luna", "```\nx\n```", "**Luna:**\n```\nx\n```"),
        ("Luna", "# Big", "**Luna:**\n# Big"),
        ("Lu*na", "Hi.", r"**Lu\*na:** Hi."),
        ("Luna", "", "**Luna:**"),
    ],
)
def test_a_name_stands_in_front_and_breaks_no_line(name: str, content: str, shown: str) -> None:
    assert put_name(name, content) == shown


# --- What discord.py knows and does not show -----------------------------------------------------------


@timeless
async def test_the_client_and_its_http_side_are_found_from_any_place() -> None:
    async with on_stage() as stage:
        message = await stage.hear("hello")
        for place in (stage.find(), message, message.author):
            assert find_client(place) is stage.client
            assert find_http(place) is stage.client.http


def test_a_stranger_has_neither() -> None:
    assert (find_client(object()), find_http(object())) == (None, None)


@timeless
async def test_a_bucket_is_what_the_headers_said() -> None:
    async with on_stage(Switches()) as stage:
        http, place = stage.client.http, stage.find()
        assert find_bucket(http, place.id, now()) is None
        await place.send("one")
        await place.send("two")
        bucket = find_bucket(http, place.id, now())

        assert bucket is not None
        assert (bucket.used, bucket.limit) == (2, 5)
        assert 1.9 < bucket.seconds <= 2.001
        assert find_bucket(http, place.id, now() + 10) == Bucket(0, 5, 0.0)


@timeless
async def test_a_gate_that_was_left_shut_is_opened() -> None:
    async with on_stage() as stage:
        gate = stage.client.http._global_over
        gate.clear()
        reopen(stage.client.http)
        await asyncio.sleep(60)

        assert gate.is_set()
    reopen(object())
