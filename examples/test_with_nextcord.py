"""A nextcord bot on the local Discord."""

import asyncio

import pytest

from discord_twin import FakeUser, Twin

nextcord = pytest.importorskip("nextcord")


async def test_it_reacts(twin: Twin, twin_user: FakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nextcord.http.Route, "BASE", twin.api_url)
    client = nextcord.Client(intents=nextcord.Intents.all())

    async def on_message(message: nextcord.Message) -> None:
        await message.add_reaction("👋")

    client.event(on_message)
    life = asyncio.create_task(client.start(twin.token))
    try:
        await twin.ready()
        said = twin_user.say("hello")
        await twin.until(lambda: said.reactions)
        assert said.reactions == {"👋": [twin.bot.user.id]}
    finally:
        await client.close()
        await asyncio.gather(life, return_exceptions=True)
