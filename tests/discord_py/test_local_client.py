from __future__ import annotations

import asyncio

from streamcord._discord.local_client import make_client
from streamcord._testing.twin_client import RunBot
from streamcord.twin import Twin


async def test_it_knows_the_guild_when_it_is_ready_and_reads_what_is_said(
    twin: Twin, run_bot: RunBot
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    client = make_client()

    @client.event
    async def on_message(message: object) -> None:
        heard.put_nowait(getattr(message, "content", ""))

    await run_bot(client)
    twin.say(twin.channel, twin.user, "hello")

    assert [guild.name for guild in client.guilds] == ["Twin"]
    assert await heard.get() == "hello"


async def test_it_identifies_again_at_once(twin: Twin, run_bot: RunBot) -> None:
    await run_bot(make_client())
    twin.gateway.invalidate(resumable=False)
    await twin.until(lambda: twin.gateway.identifies == 2)

    assert twin.gateway.resumes == 0
