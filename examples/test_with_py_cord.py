"""A py-cord bot on the local Discord; the client is not changed, it only talks to another address."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from discord_twin import FakeUser, Twin
from streamcord import Message, Receipt, say

discord = pytest.importorskip("discord")
if not hasattr(discord, "ApplicationContext"):
    pytest.skip("needs py-cord, which cannot be installed beside discord.py", allow_module_level=True)


async def test_a_command_is_answered(
    twin: Twin, twin_user: FakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.http.Route, "API_BASE_URL", twin.api_url)
    bot = discord.Bot(intents=discord.Intents.default())

    async def greet(ctx: discord.ApplicationContext, who: discord.Member) -> None:
        await ctx.respond(f"Hello {who.name}!")

    bot.slash_command(description="say hello")(greet)
    life = asyncio.create_task(bot.start(twin.token))
    try:
        await twin.until(lambda: twin.bot.commands)
        twin_user.slash("greet", who=twin_user.user)
        assert (await twin.next_message()).content == "Hello alice!"
    finally:
        await bot.close()
        await asyncio.gather(life, return_exceptions=True)


async def test_say_streams_through_an_own_transport(
    twin: Twin, twin_user: FakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.http.Route, "API_BASE_URL", twin.api_url)
    bot = discord.Bot(intents=discord.Intents.default())

    class Channel:
        """What `say` needs of another library: two methods."""

        def __init__(self, channel: discord.abc.Messageable) -> None:
            self.channel = channel

        async def send(self, message: Message) -> Receipt:
            sent = await self.channel.send(message.content)
            return Receipt(message, sent.id, sent.jump_url)

        async def typing(self) -> None:
            await self.channel.trigger_typing()

    async def model() -> AsyncIterator[str]:
        yield "Hello there."

    @bot.event
    async def on_message(message: discord.Message) -> None:
        if not message.author.bot:
            await say(Channel(message.channel), model())

    life = asyncio.create_task(bot.start(twin.token))
    try:
        await twin.ready()
        twin_user.say("Hi!")
        assert (await twin.next_message()).content == "Hello there."
    finally:
        await bot.close()
        await asyncio.gather(life, return_exceptions=True)
