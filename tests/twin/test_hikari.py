"""hikari, unchanged, completes the same flow; it is the strictest reader of what the twin sends."""

from __future__ import annotations

import pytest

from discord_twin import ScaledClock, Twin
from twin.flow import play

pytest.importorskip("hikari", reason="needs hikari (pip install hikari)")

import hikari


def make_peer(twin: Twin) -> hikari.GatewayBot:
    intents = hikari.Intents.ALL_UNPRIVILEGED | hikari.Intents.MESSAGE_CONTENT
    bot = hikari.GatewayBot(twin.token, rest_url=twin.api_url, banner=None, intents=intents, logs=None)

    @bot.listen(hikari.GuildMessageCreateEvent)
    async def on_message(event: hikari.GuildMessageCreateEvent) -> None:
        if event.is_bot:
            return
        await bot.rest.trigger_typing(event.channel_id)
        file = hikari.Bytes(b"file content", "notes.txt")
        reply = await event.message.respond(f"you said {event.content}", reply=True, attachment=file)
        assert await reply.attachments[0].read() == b"file content"
        await reply.edit("edited")
        webhook = await bot.rest.create_webhook(event.channel_id, "Luna")
        sent = await webhook.execute("as Luna", username="Luna the cat")
        await webhook.edit_message(sent, "as Luna, edited")

    @bot.listen(hikari.CommandInteractionCreateEvent)
    async def on_command(event: hikari.CommandInteractionCreateEvent) -> None:
        interaction = event.interaction
        await interaction.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE)
        await interaction.edit_initial_response(f"answer to {interaction.options[0].value}")
        await interaction.execute("and more")

    return bot


async def test_hikari_completes_the_flow() -> None:
    async with Twin() as twin:
        bot = make_peer(twin)
        await bot.start()
        try:
            option = hikari.CommandOption(
                type=hikari.OptionType.STRING, name="question", description="what to ask", is_required=True
            )
            command = bot.rest.slash_command_builder("ask", "ask something").add_option(option)
            await bot.rest.set_application_commands((await bot.rest.fetch_application()).id, [command])
            await play(twin, alt_text=None)  # hikari cannot send any
        finally:
            await bot.close()


async def test_hikari_is_never_refused_where_buckets_leak() -> None:
    # It works out the rate of the leak from the headers, and comes back as soon as one request is free again.
    async with Twin(clock=ScaledClock(10)) as twin:
        bot = hikari.RESTApp(url=twin.api_url)
        await bot.start()
        async with bot.acquire(twin.token, hikari.TokenType.BOT) as rest:
            for number in range(12):
                await rest.create_message(twin.channel.id, str(number))
        await bot.close()

        assert len(twin.channel.messages) == 12
        assert twin.log.count(status=429) == 0
