"""A disnake bot on the local Discord."""

import asyncio

import pytest

from discord_twin import FakeUser, Twin

disnake = pytest.importorskip("disnake")
commands = pytest.importorskip("disnake.ext.commands")


async def test_a_button_is_answered(twin: Twin, twin_user: FakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disnake.http.Route, "BASE", twin.api_url)
    bot = commands.InteractionBot(intents=disnake.Intents.all())

    async def on_message(message: disnake.Message) -> None:
        if not message.author.bot:
            await message.channel.send(
                "Press it.", components=[disnake.ui.Button(label="Go", custom_id="go")]
            )

    async def on_button_click(inter: disnake.MessageInteraction) -> None:
        await inter.response.send_message("Pressed.")

    bot.add_listener(on_message)
    bot.add_listener(on_button_click)
    life = asyncio.create_task(bot.start(twin.token))
    try:
        await twin.ready()
        twin_user.say("hello")
        twin_user.press(await twin.next_message(), "go")
        assert (await twin.next_message()).content == "Pressed."
    finally:
        await bot.close()
        await asyncio.gather(life, return_exceptions=True)
