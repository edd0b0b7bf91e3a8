"""discord.py, py-cord, disnake and nextcord as peers: `PEER` names which. Run by judge.py."""

import importlib
import io
import os

NAME = os.environ["PEER"]
lib = importlib.import_module({"discord.py": "discord", "py-cord": "discord"}.get(NAME, NAME))
http = importlib.import_module(f"{lib.__name__}.http")
setattr(http.Route, "API_BASE_URL" if NAME == "py-cord" else "BASE", os.environ["TWIN_API"])

if NAME == "discord.py":  # it does not ask where the gateway is
    import yarl

    lib.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["TWIN_GATEWAY"])

intents = lib.Intents.default()
intents.message_content = True


class Menu(lib.ui.Select):
    def __init__(self):
        super().__init__(options=[lib.SelectOption(label=one, value=one) for one in "ab"])

    async def callback(self, interaction):
        await interaction.response.send_message(f"picked {self.values[0]}")


async def do(message):
    channel, (word, *rest) = message.channel, message.content.split()
    if word == "ready?":
        await channel.send("ready")
    elif word == "send":
        sent = await channel.send("one")
        await sent.edit(content="two")
        gone = await channel.send("gone")
        await gone.delete()
    elif word == "file":
        await message.reply("here", file=lib.File(io.BytesIO(b"file content"), "notes.txt"))
    elif word == "embed":
        embed = lib.Embed(title="Title", description="words", color=0x123456)
        embed.add_field(name="name", value="value")
        await channel.send(embed=embed)
    elif word == "react":
        await message.add_reaction("👍")
    elif word == "thread":
        thread = await message.create_thread(name="talk")
        await thread.send("inside")
    elif word == "forum":
        forum = message.guild.get_channel(int(rest[0]))
        await forum.create_thread(name="post", content="first")
    elif word == "webhook":
        webhook = await channel.create_webhook(name="hook")
        await webhook.send("as Luna", username="Luna", wait=True)
    elif word == "menu":
        view = lib.ui.View()
        view.add_item(Menu())
        await channel.send("choose", view=view)
    elif word == "burst":
        for number in range(12):
            await channel.send(str(number))


def make_discord_py():
    from discord import app_commands

    class Client(lib.Client):
        async def setup_hook(self):
            await tree.sync()

    class Form(lib.ui.Modal, title="Form"):
        name = lib.ui.TextInput(label="Name")

        async def on_submit(self, interaction):
            await interaction.response.send_message(f"hello {self.name.value}")

    client = Client(intents=intents)
    tree = app_commands.CommandTree(client)

    @tree.command(description="ask")
    async def ask(interaction: lib.Interaction, question: str, who: lib.Member):
        await interaction.response.defer()
        await interaction.followup.send(f"answer to {question} for {who.name}")

    @tree.command(description="form")
    async def form(interaction: lib.Interaction):
        await interaction.response.send_modal(Form())

    @tree.context_menu(name="Greet")
    async def greet(interaction: lib.Interaction, member: lib.Member):
        await interaction.response.send_message(f"hello {member.name}")

    @tree.context_menu(name="Quote")
    async def quote(interaction: lib.Interaction, message: lib.Message):
        await interaction.response.send_message(f"quote: {message.content}")

    return client


def make_py_cord():
    bot = lib.Bot(intents=intents)

    class Form(lib.ui.Modal):
        def __init__(self):
            super().__init__(title="Form")
            self.add_item(lib.ui.InputText(label="Name"))

        async def callback(self, interaction):
            await interaction.response.send_message(f"hello {self.children[0].value}")

    @bot.slash_command(description="ask")
    async def ask(ctx, question: str, who: lib.Member):
        await ctx.defer()
        await ctx.respond(f"answer to {question} for {who.name}")

    @bot.slash_command(description="form")
    async def form(ctx):
        await ctx.send_modal(Form())

    @bot.user_command(name="Greet")
    async def greet(ctx, member):
        await ctx.respond(f"hello {member.name}")

    @bot.message_command(name="Quote")
    async def quote(ctx, message):
        await ctx.respond(f"quote: {message.content}")

    return bot


def make_disnake():
    from disnake.ext import commands

    bot = commands.InteractionBot(intents=intents)

    class Form(lib.ui.Modal):
        def __init__(self):
            super().__init__(title="Form", components=[lib.ui.TextInput(label="Name", custom_id="name")])

        async def callback(self, interaction):
            await interaction.response.send_message(f"hello {interaction.text_values['name']}")

    @bot.slash_command(description="ask")
    async def ask(inter, question: str, who: lib.Member):
        await inter.response.defer()
        await inter.edit_original_response(f"answer to {question} for {who.name}")

    @bot.slash_command(description="form")
    async def form(inter):
        await inter.response.send_modal(Form())

    @bot.user_command(name="Greet")
    async def greet(inter, member: lib.Member):
        await inter.response.send_message(f"hello {member.name}")

    @bot.message_command(name="Quote")
    async def quote(inter, message: lib.Message):
        await inter.response.send_message(f"quote: {message.content}")

    return bot


def make_nextcord():
    from nextcord.ext import commands

    bot = commands.Bot(intents=intents)

    class Form(lib.ui.Modal):
        def __init__(self):
            super().__init__("Form")
            self.name = lib.ui.TextInput(label="Name")
            self.add_item(self.name)

        async def callback(self, interaction):
            await interaction.response.send_message(f"hello {self.name.value}")

    @bot.slash_command(description="ask")
    async def ask(interaction: lib.Interaction, question: str, who: lib.Member):
        await interaction.response.defer()
        await interaction.followup.send(f"answer to {question} for {who.name}")

    @bot.slash_command(description="form")
    async def form(interaction: lib.Interaction):
        await interaction.response.send_modal(Form())

    @bot.user_command(name="Greet")
    async def greet(interaction: lib.Interaction, member: lib.Member):
        await interaction.response.send_message(f"hello {member.name}")

    @bot.message_command(name="Quote")
    async def quote(interaction: lib.Interaction, message: lib.Message):
        await interaction.response.send_message(f"quote: {message.content}")

    return bot


makers = {
    "discord.py": make_discord_py,
    "py-cord": make_py_cord,
    "disnake": make_disnake,
    "nextcord": make_nextcord,
}
bot = makers[NAME]()


@bot.event
async def on_message(message):
    if not message.author.bot and message.content and " " not in message.content.replace("forum ", ""):
        await do(message)


bot.run(os.environ["TWIN_TOKEN"])
