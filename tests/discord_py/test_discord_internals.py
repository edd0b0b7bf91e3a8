from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from delivery.stage import on_stage
from discord_twin import TwinOptions
from streamcord import Attachment, Message, Table
from streamcord._delivery.outgoing import NO_MENTIONS, AllowedMentions
from streamcord._discord.attachments import as_file, as_files, safe_name
from streamcord._discord.content import prefix_name, to_discord_mentions
from streamcord._discord.discord_internals import (
    Bucket,
    find_bucket,
    find_client,
    find_http,
    reopen,
    send_and_confirm,
)
from streamcord.records import Align
from virtual_time import now, timeless


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
    async with on_stage(TwinOptions()) as stage:
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
        (NO_MENTIONS, {"parse": [], "users": []}),
        (AllowedMentions((7, 8, 7)), {"parse": [], "users": [7, 8]}),
        (AllowedMentions(tuple(range(1, 150))), {"parse": [], "users": list(range(1, 101))}),
        (AllowedMentions(users=True), {"parse": ["users"]}),
        (AllowedMentions(users=True, roles=True), {"parse": ["users", "roles"]}),
        (AllowedMentions(replied_user=True), {"parse": [], "users": [], "replied_user": True}),
    ],
)
def test_allowed_mentions_are_complete(pings: AllowedMentions, body: dict[str, object]) -> None:
    said = to_discord_mentions(pings).to_dict()

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
    assert prefix_name(name, content) == shown


def place_of(client: discord.Client) -> object:
    return SimpleNamespace(_state=SimpleNamespace(_get_client=lambda: client, http=client.http))


async def test_without_a_gateway_the_answer_counts() -> None:
    sent: Any = SimpleNamespace(nonce="7")

    async def answered() -> discord.Message:
        return sent  # type: ignore[no-any-return]

    assert await send_and_confirm(answered(), object(), "7") is sent


async def test_a_message_that_the_gateway_shows_was_sent_even_if_its_request_fails() -> None:
    shown: Any = SimpleNamespace(nonce="7")
    async with discord.Client(intents=discord.Intents.none()) as client:

        async def broken() -> discord.Message:
            client.dispatch("message", shown)
            raise ConnectionResetError

        assert await send_and_confirm(broken(), place_of(client), "7") is shown


async def test_the_message_of_somebody_else_confirms_nothing() -> None:
    async with discord.Client(intents=discord.Intents.none()) as client:

        async def broken() -> discord.Message:
            client.dispatch("message", SimpleNamespace(nonce="8"))
            raise ConnectionResetError

        with pytest.raises(ConnectionResetError):
            await send_and_confirm(broken(), place_of(client), "7")
