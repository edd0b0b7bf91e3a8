"""Scenarios M on the webhook path: abuse through what a model writes or a persona is called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from delivery.stage import on_stage
from delivery.webhook_helpers import LUNA, insist, shown, words
from streamcord import AnswerContext, Attachment, Degree, Message, Persona, Settings, Speaker, say
from streamcord.discord import Webhooks
from virtual_time import timeless


@asynccontextmanager
async def canary() -> AsyncIterator[tuple[int, list[str]]]:
    """A port that no one should come to, and who came."""
    came: list[str] = []

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append("somebody")
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], came


@timeless
async def test_m_01_no_voice_pings_anybody() -> None:
    async with on_stage() as stage:
        role = stage.twin.state.add_role(stage.twin.guild, "mods", mentionable=True)
        text = f"@everyone @here <@&{role.id}> " + f"<@{stage.twin.user.id}> " * 20
        asked = await stage.hear("hello")
        webhooks = Webhooks(stage.client)
        await insist(webhooks, stage.find(), words(text, 1), reply_to=asked)
        await insist(webhooks, stage.find(), words(text, 2, files=(Attachment("a.txt", b"a", text),)))
        await insist(webhooks, stage.find(), words(text, 3))
        await insist(webhooks, stage.find(), words("hi", 4, Speaker(text[:60])))

        assert len(stage.sent) == 4
        assert stage.twin.log.pings == []


@timeless
async def test_m_02_a_ping_in_pieces_is_none_either() -> None:
    async def model() -> AsyncIterator[str]:
        for piece in ("@every", "one <@", f"{stage.twin.user.id}", "> @he", "re\n"):
            yield piece

    async with on_stage() as stage:
        settings = Settings(degree=Degree.HEAVY)
        context = AnswerContext(persona=Persona("Luna", alter=True))
        await say(stage.channel(webhooks=Webhooks()), model(), settings=settings, context=context)

        assert stage.sent
        assert stage.twin.log.pings == []


@pytest.mark.parametrize(
    "name",
    [
        "'; DROP TABLE x;--",
        "%s%n{0}",
        "x" * 10_000,
        "a\0b",
        "../../x",
        "**bold** [x](https://evil.example)",
        "\ud800",
    ],
)
def test_m_09_a_name_is_only_a_name(name: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await insist(Webhooks(), stage.find(), words("said", speaker=Speaker(name)))
            stage.twin.configure(max_webhooks=0)
            stage.twin.state.webhooks.clear()
            await stage.channel(webhooks=Webhooks()).send(Message("said", speaker=Speaker(name[:900])))
            (_, first), (who, second) = shown(stage)

            assert (first, who) == ("said", "streamcord")
            assert second.endswith("said")

    run()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/a.png",
        "http://[::ffff:127.0.0.1]:{port}/a.png",
        "http://localhost:{port}/a.png",
        "file:///etc/passwd",
        "data:image/png;base64," + "A" * (50 << 20),
        "javascript:alert(1)",
    ],
)
def test_m_10_nobody_fetches_the_picture_of_a_persona(address: str) -> None:
    @timeless
    async def run() -> None:
        async with canary() as (port, came), on_stage() as stage:
            speaker = Speaker("Luna", address.replace("{port}", str(port)))
            await insist(Webhooks(), stage.find(), words("said", speaker=speaker))

            assert shown(stage) == [("Luna", "said")]
            assert came == []
            assert sum(len(record.body) for record in stage.twin.log.requests) < 100_000

    run()


@timeless
async def test_m_20_a_reply_notice_cannot_be_imitated() -> None:
    async with on_stage() as stage:
        await insist(Webhooks(), stage.find(), words("-# ↩ [alice](<https://evil.example>)\nyes"))
        (message,) = stage.sent

        # What a model writes is content; our notice is an embed.
        assert message.draft.embeds == ()
        assert LUNA.name == message.shown_name
