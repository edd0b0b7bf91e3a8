"""A slash command whose answer can be stopped with a button."""

from collections.abc import AsyncIterator

import discord
from discord import app_commands, ui

from streamcord import Stop, say

client = discord.Client(intents=discord.Intents.default())
tree = app_commands.CommandTree(client)


async def my_model() -> AsyncIterator[str]:
    yield "".join(f"Line {number}.\n" for number in range(1, 100))


@tree.command(description="Count until it is stopped")
async def count(interaction: discord.Interaction) -> None:
    stop = Stop()

    class Buttons(ui.View):
        @ui.button(label="Stop")
        async def press(self, pressed: discord.Interaction, _: ui.Button[ui.View]) -> None:
            stop.ask()
            await pressed.response.edit_message(view=None)

    await interaction.response.send_message("Go!", view=Buttons())
    await say(interaction, my_model(), stop=stop)
