"""hikari as a peer. Run by judge.py."""

import os

import hikari

bot = hikari.GatewayBot(
    os.environ["TWIN_TOKEN"],
    rest_url=os.environ["TWIN_API"],
    banner=None,
    intents=hikari.Intents.ALL_UNPRIVILEGED | hikari.Intents.MESSAGE_CONTENT,
)


@bot.listen(hikari.StartedEvent)
async def on_started(_):
    rest, option = bot.rest, hikari.CommandOption
    ask = rest.slash_command_builder("ask", "ask")
    ask.add_option(option(type=hikari.OptionType.STRING, name="question", description="d", is_required=True))
    ask.add_option(option(type=hikari.OptionType.USER, name="who", description="d", is_required=True))
    commands = [
        ask,
        rest.slash_command_builder("form", "form"),
        rest.context_menu_command_builder(hikari.CommandType.USER, "Greet"),
        rest.context_menu_command_builder(hikari.CommandType.MESSAGE, "Quote"),
    ]
    await rest.set_application_commands((await rest.fetch_application()).id, commands)


async def burst(channel):
    for number in range(12):
        await bot.rest.create_message(channel, str(number))


@bot.listen(hikari.GuildMessageCreateEvent)
async def on_message(event):
    if event.is_bot or not event.content:
        return
    rest, channel, (word, *more) = bot.rest, event.channel_id, event.content.split()
    if word == "ready?":
        await rest.create_message(channel, "ready")
    elif word == "send":
        sent = await rest.create_message(channel, "one")
        await sent.edit("two")
        gone = await rest.create_message(channel, "gone")
        await gone.delete()
    elif word == "file":
        await event.message.respond("here", reply=True, attachment=hikari.Bytes(b"file content", "notes.txt"))
    elif word == "embed":
        embed = hikari.Embed(title="Title", description="words", color=0x123456).add_field("name", "value")
        await rest.create_message(channel, embed=embed)
    elif word == "react":
        await event.message.add_reaction("👍")
    elif word == "thread":
        thread = await rest.create_message_thread(channel, event.message, "talk")
        await thread.send("inside")
    elif word == "forum":
        await rest.create_forum_post(int(more[0]), "post", "first")
    elif word == "webhook":
        webhook = await rest.create_webhook(channel, "hook")
        await webhook.execute("as Luna", username="Luna")
    elif word == "menu":
        row = rest.build_message_action_row()
        menu = row.add_text_menu("pick")
        menu.add_option("a", "a")
        menu.add_option("b", "b")
        await rest.create_message(channel, "choose", component=row)
    elif word == "burst":
        await burst(channel)


@bot.listen(hikari.CommandInteractionCreateEvent)
async def on_command(event):
    inter, create = event.interaction, hikari.ResponseType.MESSAGE_CREATE
    if inter.command_name == "ask":
        question, who = (option.value for option in inter.options)
        await inter.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE)
        name = inter.resolved.members[who].username
        await inter.edit_initial_response(f"answer to {question} for {name}")
    elif inter.command_name == "form":
        row = bot.rest.build_modal_action_row().add_text_input("name", "Name")
        await inter.create_modal_response("Form", "form", component=row)
    elif inter.command_name == "Greet":
        await inter.create_initial_response(
            create, f"hello {inter.resolved.members[inter.target_id].username}"
        )
    else:
        await inter.create_initial_response(
            create, f"quote: {inter.resolved.messages[inter.target_id].content}"
        )


@bot.listen(hikari.ComponentInteractionCreateEvent)
async def on_component(event):
    inter = event.interaction
    await inter.create_initial_response(hikari.ResponseType.MESSAGE_CREATE, f"picked {inter.values[0]}")


@bot.listen(hikari.ModalInteractionCreateEvent)
async def on_modal(event):
    inter = event.interaction
    value = inter.components[0].components[0].value
    await inter.create_initial_response(hikari.ResponseType.MESSAGE_CREATE, f"hello {value}")


bot.run()
