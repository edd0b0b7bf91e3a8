"""The fixtures, used as a user's own tests use them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import discord
import pytest

from discord_twin import Channel, DrivenClock, FakeUser, Limit, Twin, TwinOptions
from discord_twin.discord_py import make_client

Run = Callable[[discord.Client], Awaitable[discord.Client]]


async def test_every_test_has_a_twin_of_its_own(twin: Twin) -> None:
    assert twin.is_listening
    assert twin.channel.texts == []
    assert len(twin.state.guilds) == 1


async def test_a_client_is_ready(twin: Twin, twin_client: discord.Client) -> None:
    channel = twin_client.get_partial_messageable(twin.channel.id)
    for number in range(12):
        await channel.send(str(number))

    assert twin.channel.texts == [str(number) for number in range(12)]
    assert twin.log.count(status=429) == 0
    assert twin_client.get_channel(twin.channel.id) is not None


async def test_a_bot_of_ones_own_answers(twin: Twin, run_bot: Run) -> None:
    bot = make_client()

    @bot.event
    async def on_message(message: discord.Message) -> None:
        if not message.author.bot:
            await message.reply(f"you said {message.content}")

    assert await run_bot(bot) is bot
    twin.say(twin.channel, twin.user, "hello")

    assert (await twin.next_message()).content == "you said hello"


async def test_a_bot_that_cannot_start_says_why(twin: Twin, run_bot: Run) -> None:
    twin.configure(message_content_intent=False)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await run_bot(make_client())


async def test_a_bot_that_closes_before_it_is_ready_is_no_hang(run_bot: Run) -> None:
    class Shy(discord.Client):
        async def start(self, token: str, *, reconnect: bool = True) -> None:
            await self.close()

    with pytest.raises(RuntimeError, match="before it was ready"):
        await run_bot(Shy(intents=discord.Intents.none()))


class TestWithFixturesOfItsOwn:
    @pytest.fixture
    def twin_options(self) -> TwinOptions:
        return TwinOptions(other_bucket=Limit(7, 1.0))

    @pytest.fixture
    def twin_clock(self) -> DrivenClock:
        return DrivenClock()

    async def test_switches_and_clock_can_be_replaced(self, twin: Twin, twin_clock: DrivenClock) -> None:
        assert twin.options.other_bucket == Limit(7, 1.0)
        assert twin.clock is twin_clock


async def test_a_twin_is_there_in_less_than_50_ms(twin_options: TwinOptions) -> None:
    best = 1.0
    for _ in range(3):
        start = time.perf_counter()
        async with Twin(twin_options):
            best = min(best, time.perf_counter() - start)

    assert best < 0.05


async def test_a_person_is_there_and_acts(twin: Twin, user: FakeUser, channel: Channel) -> None:
    user.say("hello")

    assert channel.texts == ["hello"]
    assert channel is twin.channel
