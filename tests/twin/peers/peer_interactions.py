"""interactions.py as a peer. Run by judge.py."""

import io
import os

import interactions as ipy
from interactions.api.http.route import Route

Route.BASE = os.environ["TWIN_API"]
bot = ipy.Client(
    token=os.environ["TWIN_TOKEN"],
    intents=ipy.Intents.DEFAULT | ipy.Intents.MESSAGE_CONTENT | ipy.Intents.GUILD_MEMBERS,
    sync_interactions=True,
    send_command_tracebacks=False,
)


@ipy.slash_command(name="ask", description="ask")
@ipy.slash_option("question", "d", ipy.OptionType.STRING, required=True)
@ipy.slash_option("who", "d", ipy.OptionType.USER, required=True)
async def ask(ctx, question, who):
    await ctx.defer()
    await ctx.send(f"answer to {question} for {who.username}")


@ipy.slash_command(name="form", description="form")
async def form(ctx):
    await ctx.send_modal(
        ipy.Modal(ipy.ShortText(label="Name", custom_id="name"), title="Form", custom_id="form")
    )


@ipy.modal_callback("form")
async def on_form(ctx, name):
    await ctx.send(f"hello {name}")


@ipy.user_context_menu(name="Greet")
async def greet(ctx):
    await ctx.send(f"hello {ctx.target.username}")


@ipy.message_context_menu(name="Quote")
async def quote(ctx):
    await ctx.send(f"quote: {ctx.target.content}")


@ipy.component_callback("pick")
async def picked(ctx):
    await ctx.send(f"picked {ctx.values[0]}")


@ipy.listen(ipy.events.MessageCreate)
async def on_message(event):
    message = event.message
    if message.author.bot or not message.content:
        return
    channel, (word, *more) = message.channel, message.content.split()
    if word == "ready?":
        await channel.send("ready")
    elif word == "send":
        sent = await channel.send("one")
        await sent.edit(content="two")
        gone = await channel.send("gone")
        await gone.delete()
    elif word == "file":
        await message.reply("here", file=ipy.File(io.BytesIO(b"file content"), "notes.txt"))
    elif word == "embed":
        embed = ipy.Embed(title="Title", description="words", color=0x123456)
        embed.add_field("name", "value")
        await channel.send(embed=embed)
    elif word == "react":
        await message.add_reaction("👍")
    elif word == "thread":
        thread = await message.create_thread("talk")
        await thread.send("inside")
    elif word == "forum":
        forum = await bot.fetch_channel(int(more[0]))
        await forum.create_post("post", "first")
    elif word == "webhook":
        webhook = await channel.create_webhook("hook")
        await webhook.send("as Luna", username="Luna", wait=True)
    elif word == "menu":
        await channel.send("choose", components=ipy.StringSelectMenu("a", "b", custom_id="pick"))
    elif word == "burst":
        for number in range(12):
            await channel.send(str(number))


bot.start()
