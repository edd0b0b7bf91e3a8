"""A bot of discord.py that offers all that a person can use on the page, for tests and pictures of it."""

from __future__ import annotations

import io
from typing import Any

import discord
from discord import app_commands, ui

from discord_twin.cdn import plain_png

FRUIT = ("apple", "apricot", "banana", "cherry", "date")


class Order(ui.Modal, title="Order something"):
    """A form with a field of each kind."""

    what: ui.TextInput[Any] = ui.TextInput(label="What", placeholder="a cake", max_length=40)
    why: ui.TextInput[Any] = ui.TextInput(label="Why", style=discord.TextStyle.paragraph, required=False)
    size: ui.Label[Any] = ui.Label(
        text="Size",
        component=ui.Select(
            options=[discord.SelectOption(label=one, value=one) for one in ("small", "large")]
        ),
    )

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        menu = self.size.component
        assert isinstance(menu, ui.Select)
        words = f"ordered {self.what.value} ({menu.values[0]}): {self.why.value or 'no reason'}"
        await interaction.response.send_message(words)


class Counter(ui.View):
    """Buttons and menus; pressing counts."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.count = 0

    @ui.button(label="Count", style=discord.ButtonStyle.primary, custom_id="count")
    async def press(self, interaction: discord.Interaction[Any], _: ui.Button[Any]) -> None:
        self.count += 1
        await interaction.response.edit_message(content=f"counted {self.count}", view=self)

    @ui.button(label="Order", emoji="🍰", custom_id="order")
    async def order(self, interaction: discord.Interaction[Any], _: ui.Button[Any]) -> None:
        await interaction.response.send_modal(Order())

    @ui.button(label="Closed", disabled=True, custom_id="closed")
    async def closed(self, interaction: discord.Interaction[Any], _: ui.Button[Any]) -> None:
        raise AssertionError("a button that is off was pressed")

    @ui.select(
        placeholder="Pick a fruit",
        custom_id="fruit",
        options=[discord.SelectOption(label=one.title(), value=one, description="sweet") for one in FRUIT],
    )
    async def pick(self, interaction: discord.Interaction[Any], menu: ui.Select[Any]) -> None:
        await interaction.response.send_message(f"picked {', '.join(menu.values)}")

    @ui.select(cls=ui.UserSelect, placeholder="Pick people", custom_id="people", max_values=2, min_values=0)
    async def people(self, interaction: discord.Interaction[Any], menu: ui.UserSelect[Any]) -> None:
        names = ", ".join(sorted(one.name for one in menu.values))
        await interaction.response.send_message(f"people: {names or 'nobody'}", ephemeral=True)


def card() -> ui.LayoutView:
    """A message of Components V2, with a bit of everything."""
    view = ui.LayoutView(timeout=None)
    box: ui.Container[Any] = ui.Container(accent_colour=discord.Colour.blurple())
    box.add_item(ui.TextDisplay("## A card\nwith **bold** words"))
    box.add_item(ui.Separator())
    picture: ui.Thumbnail[Any] = ui.Thumbnail("attachment://avatar.png", description="a avatar")
    box.add_item(ui.Section("Somebody with a avatar", accessory=picture))
    gallery: ui.MediaGallery[Any] = ui.MediaGallery(
        discord.MediaGalleryItem("attachment://view.png", description="a view")
    )
    box.add_item(gallery)
    row: ui.ActionRow[Any] = ui.ActionRow(ui.Button(label="Read more", url="https://example.com/more"))
    box.add_item(row)
    view.add_item(box)
    return view


class PageBot(discord.Client):
    """Answers mentions, offers commands, and types when it is told to."""

    def __init__(self) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents, guild_ready_timeout=0)
        self.tree = app_commands.CommandTree(self)
        add_commands(self.tree)

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        assert self.user is not None
        if message.author.bot or (message.guild and self.user not in message.mentions):
            return
        await message.channel.typing()
        files = ", ".join(one.filename for one in message.attachments)
        words = message.clean_content.replace(f"@{self.user.name}", "").strip()
        said = f"you said *{words or 'nothing'}*" + (f" with {files}" if files else "")
        await message.reply(said)


def add_commands(tree: app_commands.CommandTree[Any]) -> None:
    @tree.command(description="Eat a fruit")
    @app_commands.describe(fruit="which one", count="how many", quietly="tell nobody")
    async def eat(
        interaction: discord.Interaction[Any],
        fruit: str,
        count: app_commands.Range[int, 1, 9] = 1,
        quietly: bool = False,
    ) -> None:
        await interaction.response.send_message(f"ate {count} {fruit}", ephemeral=quietly)

    @eat.autocomplete("fruit")
    async def find(_: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=one, value=one) for one in FRUIT if one.startswith(typed)]

    @tree.command(description="Something to press")
    async def panel(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("press me", view=Counter())

    @tree.command(description="A card of Components V2")
    async def show(interaction: discord.Interaction[Any]) -> None:
        files = [
            discord.File(io.BytesIO(plain_png(seed, 96)), name)
            for seed, name in ((7, "avatar.png"), (99, "view.png"))
        ]
        await interaction.response.send_message(view=card(), files=files)

    @tree.command(description="Fill in a form")
    async def order(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_modal(Order())

    group = app_commands.Group(name="note", description="Notes")

    @group.command(description="Write a note about somebody")
    async def add(interaction: discord.Interaction[Any], who: discord.Member, text: str) -> None:
        await interaction.response.send_message(f"noted for {who.mention}: {text}", ephemeral=True)

    tree.add_command(group)

    @tree.context_menu(name="Repeat this")
    async def repeat(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await interaction.response.send_message(f"again: {message.content}", ephemeral=True)

    @tree.context_menu(name="Who is it?")
    async def who(interaction: discord.Interaction[Any], member: discord.Member) -> None:
        await interaction.response.send_message(f"that is {member.name}", ephemeral=True)

    @tree.command(description="Never answers")
    async def sleep(_: discord.Interaction[Any]) -> None:
        return
