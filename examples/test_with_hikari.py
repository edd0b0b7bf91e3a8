"""A hikari bot on the local Discord; it takes the address as an argument."""

import pytest

from discord_twin import FakeUser, Twin

hikari = pytest.importorskip("hikari")


async def test_it_answers(twin: Twin, twin_user: FakeUser) -> None:
    intents = hikari.Intents.ALL_UNPRIVILEGED | hikari.Intents.MESSAGE_CONTENT
    bot = hikari.GatewayBot(twin.token, rest_url=twin.api_url, intents=intents, banner=None, logs=None)

    async def pong(event: hikari.GuildMessageCreateEvent) -> None:
        if event.content == "ping":
            await event.message.respond("pong", reply=True)

    bot.subscribe(hikari.GuildMessageCreateEvent, pong)
    await bot.start()
    try:
        asked = twin_user.say("ping")
        answer = await twin.next_message()
        assert (answer.content, answer.draft.reply_to) == ("pong", asked)
    finally:
        await bot.close()
