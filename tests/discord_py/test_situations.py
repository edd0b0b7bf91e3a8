"""Where people ask a bot, and what goes wrong there: the answer arrives once, in order, and as private as asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from delivery.stage import Stage, on_stage
from discord_twin import Channel, ChannelType, FaultKind
from discord_twin import Interaction as Seen
from streamcord import (
    AnswerContext,
    ChannelGone,
    Ending,
    NotAllowed,
    Persona,
    RunningTurns,
    Settings,
    Stop,
    say,
)
from streamcord.discord import DiscordChannel, DiscordInteraction, Webhooks
from virtual_time import timeless

Interaction = discord.Interaction[Any]
MANNERS = {
    "bubbles": Settings(degree=1, merge="off"),
    "live": Settings(delivery="live"),
    "a long live answer": Settings(delivery="live", live_limit=4000),
}
SHORT = ("bubbles", "live")
LINES = ["First of all, hello.", "Then @everyone, a second line.", "```py\nprint(1)\n```", "And that is all."]


async def model(*, long: bool = False) -> AsyncIterator[str]:
    for number, line in enumerate(LINES):
        yield f"{line}\n\n"
        if long:
            yield "\n\n".join(f"{number}.{part} {'word ' * 60}" for part in range(10)) + "\n\n"
        await asyncio.sleep(0.1)


# --- Where ----------------------------------------------------------------------------------------------


async def interact(stage: Stage, act: Callable[[], Any]) -> Interaction:
    """Return the interaction that the client hears of."""
    heard = asyncio.create_task(stage.client.wait_for("interaction", timeout=5))
    await asyncio.sleep(0)
    act()
    interaction: Interaction = await heard
    return interaction


async def add_commands(stage: Stage) -> None:
    tree = app_commands.CommandTree(stage.client)

    @tree.command(description="ask something")
    async def question(_: Interaction) -> None: ...

    @tree.context_menu(name="About them")
    async def about_user(_: Interaction, __: discord.User) -> None: ...

    @tree.context_menu(name="About it")
    async def about_message(_: Interaction, __: discord.Message) -> None: ...

    await tree.sync()


async def slash(stage: Stage, channel: Channel | None = None) -> Interaction:
    await add_commands(stage)
    return await interact(
        stage, lambda: stage.twin.fake_user(None, channel or stage.twin.channel).slash("question")
    )


async def slash_deferred(stage: Stage) -> Interaction:
    interaction = await slash(stage)
    await interaction.response.defer()
    return interaction


async def slash_deferred_privately(stage: Stage) -> Interaction:
    interaction = await slash(stage)
    await interaction.response.defer(ephemeral=True)
    return interaction


async def slash_answered(stage: Stage) -> Interaction:
    interaction = await slash(stage)
    await interaction.response.send_message("Let me think.")
    return interaction


async def slash_answered_privately(stage: Stage) -> Interaction:
    interaction = await slash(stage)
    await interaction.response.send_message("Let me think.", ephemeral=True)
    return interaction


async def hybrid(stage: Stage) -> commands.Context[Any]:
    interaction = await slash(stage)
    context = await prefix(stage)
    context.interaction = interaction
    return context


async def hybrid_deferred(stage: Stage) -> commands.Context[Any]:
    context = await hybrid(stage)
    await context.defer()
    return context


async def hybrid_deferred_privately(stage: Stage) -> commands.Context[Any]:
    context = await hybrid(stage)
    await context.defer(ephemeral=True)
    return context


async def hybrid_typing(stage: Stage) -> commands.Context[Any]:
    context = await hybrid(stage)
    async with context.typing():
        pass
    return context


async def user_menu(stage: Stage) -> Interaction:
    await add_commands(stage)
    return await interact(stage, lambda: stage.twin.menu("About them", stage.twin.user))


async def message_menu(stage: Stage) -> Interaction:
    await add_commands(stage)
    said = stage.twin.say(stage.twin.channel, stage.twin.user, "What is this?")
    return await interact(stage, lambda: stage.twin.menu("About it", said))


async def press(stage: Stage, *, private: bool) -> Interaction:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="More", custom_id="more"))
    if private:
        await (await slash(stage)).response.send_message("Press it.", view=view, ephemeral=True)
    else:
        await stage.find().send("Press it.", view=view)
    pressed = await interact(stage, lambda: stage.twin.press(stage.sent[-1], "more"))
    # A private view has a timeout of 15 minutes.
    view.stop()
    return pressed


async def button(stage: Stage) -> Interaction:
    return await press(stage, private=False)


async def private_button(stage: Stage) -> Interaction:
    return await press(stage, private=True)


async def select(stage: Stage) -> Interaction:
    view = discord.ui.View(timeout=None)
    options = [discord.SelectOption(label="One"), discord.SelectOption(label="Two")]
    view.add_item(discord.ui.Select(custom_id="which", options=options))
    await stage.find().send("Choose.", view=view)
    return await interact(stage, lambda: stage.twin.fake_user().choose(stage.sent[-1], "which", "Two"))


class Form(discord.ui.Modal, title="Ask"):
    question: discord.ui.TextInput[Any] = discord.ui.TextInput(label="Question", custom_id="question")


async def modal(stage: Stage) -> Interaction:
    await add_commands(stage)
    seen: list[Seen] = []
    asked = await interact(stage, lambda: seen.append(stage.twin.slash("question")))
    await asked.response.send_modal(Form())
    return await interact(stage, lambda: stage.twin.submit(seen[0], {"question": "Why?"}))


async def modal_deferred_privately(stage: Stage) -> Interaction:
    interaction = await modal(stage)
    await interaction.response.defer(ephemeral=True, thinking=True)
    return interaction


async def prefix(stage: Stage, channel: Channel | None = None) -> commands.Context[Any]:
    message = await stage.hear("!ask", channel)
    bot = commands.Bot("!", intents=discord.Intents.none())
    return commands.Context(message=message, bot=bot, view=commands.view.StringView("!ask"))


async def partial_message(stage: Stage) -> discord.PartialMessage:
    message = await stage.hear("Hello?")
    found: discord.PartialMessage = stage.find().get_partial_message(message.id)
    return found


async def member(stage: Stage) -> Any:
    return (await stage.hear("Hello?")).author


PUBLIC: dict[str, Callable[[Stage], Awaitable[Any]]] = {
    "message": lambda stage: stage.hear("Hello?"),
    "partial message": partial_message,
    "prefix command": prefix,
    "slash command": slash,
    "slash command, deferred": slash_deferred,
    "slash command, answered": slash_answered,
    "hybrid command": hybrid,
    "hybrid command, deferred": hybrid_deferred,
    "hybrid command, typing": hybrid_typing,
    "user menu": user_menu,
    "message menu": message_menu,
    "button": button,
    "select": select,
    "modal": modal,
}
PRIVATE: dict[str, Callable[[Stage], Awaitable[Any]]] = {
    "slash command, deferred privately": slash_deferred_privately,
    "slash command, answered privately": slash_answered_privately,
    "hybrid command, deferred privately": hybrid_deferred_privately,
    "button of a private message": private_button,
    "modal, deferred privately": modal_deferred_privately,
}


async def answer(stage: Stage, target: Any, channel: Channel, manner: str, **options: Any) -> list[Any]:
    """Answer in one manner; return the messages of the answer after checking their text."""
    before = set(channel.messages)
    loading = {one.id for one in channel.messages.values() if one.author.bot and not one.content}
    long = manner.startswith("a long")
    result = await say(target, model(long=long), settings=MANNERS[manner], **options)
    sent = [one for one in channel.messages.values() if one.author.bot and one.id not in before - loading]
    words = "\n".join(shown(one) for one in sent)
    positions = [words.find(line) for line in LINES]
    assert positions == sorted(positions)
    assert -1 not in positions
    assert all(words.count(line) == 1 for line in LINES)
    assert result.ending is Ending.COMPLETED
    assert stage.twin.log.pinged == set()
    assert [one for one in stage.twin.log.invalid if not one.faults] == []
    return sent


def shown(message: Any) -> str:
    """Return the text of a message, also of a live one in Components V2."""

    def texts(components: Any) -> str:
        return "\n".join(
            str(one.get("content", "")) + texts(one.get("components", ())) for one in components or ()
        )

    return str(message.content or texts(message.draft.components))


@pytest.mark.parametrize("where", PUBLIC)
@timeless
async def test_answer_arrives_where_it_was_asked_for(where: str) -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            sent = await answer(stage, await PUBLIC[where](stage), stage.twin.channel, manner)
            assert not any(one.is_ephemeral for one in sent)


@pytest.mark.parametrize("where", PRIVATE)
@timeless
async def test_private_answer_is_private_to_its_last_message(where: str) -> None:
    for manner in MANNERS:
        async with on_stage() as stage:
            sent = await answer(stage, await PRIVATE[where](stage), stage.twin.channel, manner)
            assert all(one.is_ephemeral for one in sent)


async def paragraphs(count: int) -> AsyncIterator[str]:
    for number in range(count):
        # It fills a message.
        yield f"Paragraph {number}: {'word ' * 390}\n\n"
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("where", PRIVATE)
@pytest.mark.parametrize("count", [1, 3, 10])
@timeless
async def test_private_answer_of_many_messages_has_no_public_one(where: str, count: int) -> None:
    for settings in (Settings(degree=1, merge="off"), Settings(delivery="live", live_limit=2000)):
        async with on_stage() as stage:
            channel = stage.twin.channel
            target, before = await PRIVATE[where](stage), set(channel.messages)
            result = await say(target, paragraphs(count), settings=settings)

            sent = [one for id_, one in channel.messages.items() if id_ not in before and one.author.bot]
            assert len(result.receipts) >= count
            assert [one for one in sent if not one.is_ephemeral] == []


async def post_in_forum(stage: Stage) -> Channel:
    forum = stage.twin.add_channel("questions", ChannelType.FORUM)
    return stage.twin.add_thread("How does it work?", forum)


async def archived(stage: Stage) -> Channel:
    thread = stage.twin.add_thread("an old question")
    stage.twin.state.set_thread(thread, archived=True)
    return thread


async def slow(stage: Stage) -> Channel:
    stage.twin.channel.slow_seconds = 30
    return stage.twin.channel


CHANNELS: dict[str, Callable[[Stage], Any]] = {
    "text": lambda stage: stage.twin.channel,
    "another": lambda stage: stage.twin.add_channel("other"),
    "announcements": lambda stage: stage.twin.add_channel("news", ChannelType.ANNOUNCEMENT),
    "voice": lambda stage: stage.twin.add_channel("talk", ChannelType.VOICE),
    "thread": lambda stage: stage.twin.add_thread("a question"),
    "post in a forum": post_in_forum,
    "archived thread": archived,
    "slow mode": slow,
    "direct messages": lambda stage: stage.twin.dm(),
}


@pytest.mark.parametrize("where", CHANNELS)
@timeless
async def test_answer_arrives_in_every_kind_of_channel(where: str) -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            channel = CHANNELS[where](stage)
            channel = await channel if asyncio.iscoroutine(channel) else channel
            place = stage.client.get_partial_messageable(channel.id, guild_id=channel.guild_id)
            await answer(stage, place, channel, manner)


@pytest.mark.parametrize("where", ["text", "thread", "post in a forum", "direct messages"])
@timeless
async def test_persona_speaks_in_every_kind_of_channel(where: str) -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            channel = CHANNELS[where](stage)
            channel = await channel if asyncio.iscoroutine(channel) else channel
            place = stage.client.get_channel(channel.id) or await stage.client.fetch_channel(channel.id)
            transport = DiscordChannel(place, webhooks=Webhooks(stage.client))  # type: ignore[arg-type]
            luna = AnswerContext(persona=Persona("Luna", alter=True))
            sent = await answer(stage, transport, channel, manner, context=luna)
            names = {one.author.name for one in sent}
            assert names == {"streamcord"} if where == "direct messages" else {"Luna"}


@timeless
async def test_user_and_member_get_a_direct_message() -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            author = await member(stage)
            await answer(stage, author, stage.twin.dm(), manner)
            assert stage.texts == []


@timeless
async def test_slash_command_in_a_thread_is_answered_there() -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            thread = stage.twin.add_thread("a question")
            await answer(stage, await slash(stage, thread), thread, manner)


# --- What goes wrong ------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[FaultKind, dict[str, Any]]] = {
    "server error": (FaultKind.STATUS, {"status": 500, "times": 3}),
    "page of a proxy": (FaultKind.HTML_STATUS, {"status": 502, "times": 2}),
    "connection closes": (FaultKind.CLOSE_BEFORE_COMMIT, {"times": 2}),
    "response is lost": (FaultKind.COMMIT_THEN_DROP_ACK, {}),
    "error after success": (FaultKind.COMMIT_THEN_STATUS, {"status": 502}),
    "response is garbled": (FaultKind.ACK_GARBLED, {}),
    "rate limit of the channel": (FaultKind.RATE_USER, {"times": 2}),
    "rate limit of the bot": (FaultKind.RATE_GLOBAL, {}),
    "outage": (FaultKind.GO_OFFLINE, {}),
    "gateway drops": (FaultKind.GATEWAY_DROP, {}),
    "gateway breaks": (FaultKind.GATEWAY_ABORT, {}),
    "session is invalid": (FaultKind.GATEWAY_INVALID, {}),
    "somebody writes": (FaultKind.FOREIGN_MESSAGE, {}),
}


@pytest.mark.parametrize("fault", FAULTS)
@timeless
async def test_answer_arrives_once_although(fault: str) -> None:
    kind, options = FAULTS[fault]
    for manner in SHORT:
        async with on_stage() as stage:
            stage.twin.inject_fault(kind, "messages.create", **options)
            await answer(stage, stage.find(), stage.twin.channel, manner)


@timeless
async def test_answer_to_a_deleted_question_is_sent_without_a_reply() -> None:
    for manner in SHORT:
        async with on_stage() as stage:
            question = await stage.hear("Hello?")
            stage.twin.delete(stage.twin.channel.messages[question.id])
            sent = await answer(stage, question, stage.twin.channel, manner)
            assert sent[0].draft.reply_ids is None


@timeless
async def test_deleted_live_message_goes_on_in_a_new_one() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.DELETE_MESSAGE, "messages.edit")
        result = await say(stage.find(), model(), settings=MANNERS["live"])

        assert result.ending is Ending.COMPLETED
        assert LINES[-1] in stage.texts[-1]


GONE: dict[str, tuple[FaultKind, type[Exception]]] = {
    "channel is deleted": (FaultKind.DELETE_CHANNEL, ChannelGone),
    "permission is revoked": (FaultKind.PERM_REVOKE, NotAllowed),
}


@pytest.mark.parametrize("manner", SHORT)
@pytest.mark.parametrize("what", GONE)
@timeless
async def test_place_that_is_gone_is_told_at_once(what: str, manner: str) -> None:
    kind, error = GONE[what]
    async with on_stage() as stage:
        stage.twin.inject_fault(kind, "messages.create")
        with pytest.raises(error) as raised:
            await say(stage.find(), model(), settings=MANNERS[manner])

        assert getattr(raised.value, "result").receipts == ()  # noqa: B009 - of both classes
        assert stage.twin.log.count("messages.create") == 1


@pytest.mark.parametrize("manner", SHORT)
@timeless
async def test_locked_thread_is_not_allowed(manner: str) -> None:
    async with on_stage() as stage:
        thread = stage.twin.add_thread("closed")
        stage.twin.state.set_thread(thread, archived=True, locked=True)
        place = stage.client.get_partial_messageable(thread.id, guild_id=thread.guild_id)

        with pytest.raises(NotAllowed):
            await say(place, model(), settings=MANNERS[manner])


@timeless
async def test_ten_answers_at_once_are_all_there() -> None:
    async with on_stage() as stage:

        async def one(number: int) -> None:
            async def numbered() -> AsyncIterator[str]:
                for line in range(4):
                    yield f"Answer {number}, line {line}.\n"

            await say(stage.find(), numbered(), settings=MANNERS["bubbles"])

        await asyncio.gather(*(one(number) for number in range(10)))

        lines = "\n".join(stage.texts).split("\n")
        assert sorted(lines) == sorted(f"Answer {a}, line {line}." for a in range(10) for line in range(4))
        for number in range(10):
            assert [line for line in lines if f"Answer {number}," in line] == [
                f"Answer {number}, line {line}." for line in range(4)
            ]


@timeless
async def test_button_stops_an_answer_to_an_interaction() -> None:
    async with on_stage() as stage:
        stop = Stop()
        interaction = await slash(stage)
        asyncio.get_running_loop().call_later(0.15, stop.ask)
        result = await say(interaction, model(long=True), settings=MANNERS["bubbles"], stop=stop)

        assert result.ending is Ending.STOPPED_BY_USER
        assert len(stage.sent) < 40


@timeless
async def test_answers_of_one_channel_wait_for_each_other() -> None:
    async with on_stage() as stage:
        stops = RunningTurns()

        async def one(number: int) -> None:
            async with stops.turn(stage.twin.channel.id) as stop:
                await say(stage.find(), model(), settings=MANNERS["bubbles"], stop=stop)

        await asyncio.gather(*(one(number) for number in range(3)))

        assert stage.texts == LINES * 3


# --- Buttons and placeholders ---------------------------------------------------------------------------


class Buttons(discord.ui.View):
    """Counts how often its button was pressed."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.pressed = asyncio.Event()

    @discord.ui.button(label="Stop", custom_id="stop")
    async def press(self, interaction: Interaction, _: Any) -> None:
        self.pressed.set()
        await interaction.response.defer()


def buttons_of(message: Any) -> str:
    return "stop" if '"stop"' in json.dumps(message.draft.components) else ""


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("at", ["view", "last_view"])
@timeless
async def test_answer_to_an_interaction_has_buttons_that_work(at: str, manner: str) -> None:
    async with on_stage() as stage:
        buttons: Any = Buttons()
        transport = DiscordInteraction(await slash(stage), **{at: buttons})
        sent = await answer(stage, transport, stage.twin.channel, manner)

        place = 0 if at == "view" else len(sent) - 1
        assert [buttons_of(one) for one in sent] == [
            "stop" if number == place else "" for number in range(len(sent))
        ]
        assert (transport.begun or transport.ended) == sent[place].id
        stage.twin.press(sent[place], "stop")
        await asyncio.wait_for(buttons.pressed.wait(), 5)


@pytest.mark.parametrize("manner", MANNERS)
@timeless
async def test_answer_grows_in_a_message_that_was_there(manner: str) -> None:
    async with on_stage() as stage:
        moment = await stage.find().send("One moment…", embed=discord.Embed(title="Thinking"))
        transport = stage.channel(edit=moment)
        await say(transport, model(long=manner.startswith("a long")), settings=MANNERS[manner])

        assert stage.sent[0].id == moment.id
        assert not stage.sent[0].draft.embeds
        assert "One moment" not in shown(stage.sent[0])
        assert LINES[0] in shown(stage.sent[0])
        assert sum(shown(one).count(LINES[-1]) for one in stage.sent) == 1


@pytest.mark.parametrize(
    "trouble", [FaultKind.STATUS, FaultKind.COMMIT_THEN_STATUS, FaultKind.COMMIT_THEN_DROP_ACK]
)
@timeless
async def test_lost_edit_of_a_placeholder_is_repeated(trouble: FaultKind) -> None:
    async with on_stage() as stage:
        moment = await stage.find().send("One moment…")
        stage.twin.inject_fault(trouble, "messages.edit", times=2)
        await say(stage.channel(edit=moment), model(), settings=MANNERS["bubbles"])

        assert stage.texts == LINES


@timeless
async def test_placeholder_that_was_deleted_is_replaced_by_a_new_message() -> None:
    async with on_stage() as stage:
        moment = await stage.find().send("One moment…")
        stage.twin.delete(stage.sent[0])
        await say(stage.channel(edit=moment), model(), settings=MANNERS["bubbles"])

        assert stage.texts == LINES


@timeless
async def test_placeholder_of_a_persona_is_deleted() -> None:
    async with on_stage() as stage:
        moment = await stage.find().send("One moment…")
        transport = stage.channel(edit=moment, webhooks=Webhooks(stage.client))
        await say(
            transport,
            model(),
            settings=MANNERS["bubbles"],
            context=AnswerContext(persona=Persona("Luna", alter=True)),
        )

        assert stage.texts == LINES
        assert {one.author.name for one in stage.sent} == {"Luna"}
