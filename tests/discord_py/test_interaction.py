"""Answers to interactions, with the real client on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from delivery.stage import FREE, Stage, on_stage
from discord_twin import FaultKind, Interaction, TwinOptions
from streamcord import Attachment, Degree, DeliveryError, Message, NotAllowed, Settings, Speaker, Turn, say
from streamcord._delivery.transport import ReliableTransport, Transport
from streamcord._discord.channel import DiscordChannel
from streamcord._discord.interaction import DiscordInteraction, find_transport
from virtual_time import Model, covers, timeless

LINES = Settings(degree=Degree.LIGHT)
THREE = "One.\nTwo.\nThree."


async def ask(stage: Stage) -> tuple[Interaction, discord.Interaction[Any]]:
    """Let a person use a slash command; what the twin and what the client see of it."""
    tree = app_commands.CommandTree(stage.client)
    caught: asyncio.Future[discord.Interaction[Any]] = asyncio.get_running_loop().create_future()

    @tree.command(description="ask something")
    async def question(interaction: discord.Interaction[Any]) -> None:
        caught.set_result(interaction)

    await tree.sync()
    asked = stage.twin.slash("question")
    return asked, await caught


@asynccontextmanager
async def asked(
    switches: TwinOptions = FREE, **options: Any
) -> AsyncIterator[tuple[Stage, Interaction, DiscordInteraction]]:
    async with on_stage(switches) as stage:
        seen, interaction = await ask(stage)
        yield stage, seen, DiscordInteraction(interaction, **options)


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


@timeless
async def test_the_first_message_fills_the_waiting_one_and_others_follow() -> None:
    async with asked() as (stage, seen, transport):
        result = await say(transport, model(THREE), settings=LINES)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert seen.callback is not None
        assert seen.callback["type"] == 5
        assert seen.original is stage.sent[0]
        assert [receipt.id for receipt in result.receipts] == [message.id for message in stage.sent]
        assert result.first_url.endswith(f"/{stage.twin.channel.id}/{stage.sent[0].id}")
        assert stage.twin.log.pings == []


@timeless
async def test_a_slow_model_is_deferred_in_time() -> None:
    async with asked() as (stage, seen, transport):
        await say(transport, Model(20.0, "At last."), settings=LINES)

        assert stage.texts == ["At last."]
        assert seen.original is stage.sent[0]
        assert stage.twin.log.typing == []


@timeless
async def test_a_private_answer_stays_private() -> None:
    async with asked(ephemeral=True) as (stage, _, transport):
        await say(transport, model(THREE), settings=LINES)

        assert [message.is_ephemeral for message in stage.sent] == [True] * 3


LONG = "\n".join(f"Line {number} of a private answer." for number in range(10))


async def respond_with(interaction: discord.Interaction[Any], how: str) -> None:
    match how:
        case "defer":
            await interaction.response.defer(ephemeral=True)
        case "send":
            await interaction.response.send_message("Thinking", ephemeral=True)


@pytest.mark.parametrize("how", ["defer", "send"])
@pytest.mark.parametrize("messages", [1, 3, 10])
@pytest.mark.parametrize("delivery", ["messages", "live"])
def test_answer_is_as_private_as_the_first_response(
    how: str, messages: int, delivery: Literal["messages", "live"]
) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            _, interaction = await ask(stage)
            await respond_with(interaction, how)
            # A live message holds 2000 characters, so each line is made as long as one.
            lines = LONG.split("\n")[:messages]
            if delivery == "live":
                lines = [f"{line} {'word ' * 390}" for line in lines]
            settings = Settings(delivery=delivery, degree=Degree.LIGHT, merge="off")
            result = await say(interaction, model("\n\n".join(lines)), settings=settings)

            assert result.counts.messages >= messages
            assert [message.is_ephemeral for message in stage.sent] == [True] * len(stage.sent)

    scene()


@timeless
async def test_public_response_leaves_the_answer_public() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        await interaction.response.defer()
        await say(interaction, model(THREE), settings=LINES)

        assert [message.is_ephemeral for message in stage.sent] == [False] * 3


@timeless
async def test_context_of_a_command_that_deferred_privately_stays_private() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        place = await context(stage, "!ask")
        place.interaction = interaction
        await place.defer(ephemeral=True)
        await say(place, model(THREE), settings=LINES)

        assert [message.is_ephemeral for message in stage.sent] == [True] * 3


@timeless
async def test_privacy_that_cannot_be_learned_counts_as_private() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        await interaction.response.send_message("Thinking", ephemeral=True)
        stage.twin.inject_fault(FaultKind.STATUS, "interactions.message", times=3)
        await say(interaction, model(THREE), settings=LINES)

        assert [message.is_ephemeral for message in stage.sent] == [True] * 4


@timeless
async def test_code_that_responds_privately_while_say_defers_keeps_it_private() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        transport = DiscordInteraction(interaction)
        await asyncio.gather(interaction.response.defer(ephemeral=True), transport.defer())
        await say(transport, model(THREE), settings=LINES)

        assert [message.is_ephemeral for message in stage.sent] == [True] * 3


async def failing(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text
    raise ValueError("the model is gone")


async def hesitant() -> AsyncIterator[str]:
    await asyncio.sleep(2)
    raise ValueError("the model is gone")
    yield ""


@timeless
async def test_placeholder_of_a_failed_answer_is_removed() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        with pytest.raises(ValueError, match="gone"):
            await say(interaction, hesitant())

        assert stage.sent == []
        # The documented way to say sorry.
        await interaction.followup.send("Sorry!")
        assert stage.texts == ["Sorry!"]


@timeless
async def test_command_whose_source_fails_at_once_was_not_responded_to() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        with pytest.raises(ValueError, match="gone"):
            await say(interaction, failing())

        assert not interaction.response.is_done()
        # The documented way to say sorry in this case.
        await interaction.response.send_message("Sorry!")
        assert stage.texts == ["Sorry!"]


@timeless
async def test_placeholder_of_an_empty_answer_is_removed() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        await say(interaction, Model(2.0))

        assert stage.sent == []


@timeless
async def test_placeholder_of_the_caller_is_left_alone() -> None:
    async with on_stage() as stage:
        seen, interaction = await ask(stage)
        await interaction.response.defer()
        with pytest.raises(ValueError, match="gone"):
            await say(interaction, hesitant())

        assert stage.sent == [seen.original]
        await interaction.edit_original_response(content="Sorry!")
        assert stage.texts == ["Sorry!"]


@timeless
async def test_answer_that_fails_after_its_first_message_keeps_it() -> None:
    async with on_stage() as stage:
        _, interaction = await ask(stage)
        with pytest.raises(ValueError, match="gone"):
            await say(interaction, failing("One.\n"), settings=LINES)

        assert stage.texts == ["One."]


@timeless
async def test_an_answer_longer_than_fourteen_minutes_goes_on_in_the_channel() -> None:
    async with asked() as (stage, _, transport):
        source = Model("One.\nTwo.\nTh", 900.0, "ree.\nFour.")
        settings = Settings(degree=Degree.LIGHT, idle_timeout=1000, keepalive_timeout=1000)
        result = await say(transport, source, settings=settings)

        assert stage.texts == ["One.", "Two.", "Three.", "Four."]
        assert [receipt.changes for receipt in result.receipts] == [(), (), ("channel",), ("channel",)]
        assert stage.twin.log.invalid == []


@timeless
async def test_a_private_answer_that_is_too_late_is_not_made_public() -> None:
    async with asked(ephemeral=True) as (stage, _, transport):
        await transport.send(Message("One."))
        await asyncio.sleep(900)
        with pytest.raises(NotAllowed):
            await transport.send(Message("Two."))

        assert stage.texts == ["One."]


@timeless
async def test_a_token_that_is_refused_is_used_once_more_never() -> None:
    async with asked() as (stage, _, transport):
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "interactions.followup", code=50027)
        result = await say(transport, model(THREE), settings=LINES)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert result.receipts[-1].changes == ("channel",)
        assert stage.twin.log.count("interactions.followup") == 1


@timeless
async def test_interaction_closed_before_the_first_message_uses_the_channel() -> None:
    async with asked() as (stage, _, transport):
        await asyncio.sleep(4)
        await say(transport, model(THREE), settings=LINES)

        assert stage.texts == ["One.", "Two.", "Three."]


@pytest.mark.parametrize("cap", [1, 2])
def test_where_follow_ups_are_counted_the_rest_goes_to_the_channel(cap: int) -> None:
    @timeless
    async def scenario() -> None:
        async with asked(TwinOptions(**{**as_fields(FREE), "followup_cap": cap})) as (stage, _, transport):
            await say(transport, model(THREE + "\nFour."), settings=LINES)

            assert stage.texts == ["One.", "Two.", "Three.", "Four."]

    scenario()


@pytest.mark.parametrize(
    "trouble",
    [
        FaultKind.COMMIT_THEN_DROP_ACK,
        FaultKind.COMMIT_THEN_STATUS,
        FaultKind.ACK_GARBLED,
        FaultKind.STATUS,
        FaultKind.CLOSE_BEFORE_COMMIT,
        FaultKind.RATE_USER,
    ],
)
@pytest.mark.parametrize("route", ["interactions.followup", "interactions.message", "interactions.callback"])
def test_an_answer_that_is_lost_is_one_message(trouble: FaultKind, route: str) -> None:
    @timeless
    async def scenario() -> None:
        async with asked() as (stage, _, transport):
            stage.twin.inject_fault(trouble, route, seconds=1.0)
            result = await say(transport, model(THREE), settings=LINES)

            assert stage.texts == ["One.", "Two.", "Three."]
            assert covers(result, len(THREE))

    scenario()


@timeless
async def test_a_follow_up_in_doubt_is_looked_for_until_the_channel_can_be_read() -> None:
    async with asked() as (stage, _, transport):
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, "interactions.followup")
        for _ in range(3):
            stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT, "messages.list")
        result = await say(transport, model(THREE), settings=LINES)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert len(result.receipts) == 3
        assert result.dropped == ()


@timeless
async def test_a_command_that_could_not_be_acknowledged_stays_closed() -> None:
    async with asked() as (stage, _, transport):
        # Discord took it, but no one could tell.
        for fault in [FaultKind.COMMIT_THEN_DROP_ACK, *[FaultKind.CLOSE_BEFORE_COMMIT] * 3]:
            stage.twin.inject_fault(fault, "interactions.callback")
        await transport.send(Message("One."))
        await transport.typing()
        await transport.send(Message("Two."))

        assert [text for text in stage.texts if text] == ["One.", "Two."]


@timeless
async def test_a_lost_private_follow_up_is_reported_and_not_repeated() -> None:
    async with asked(ephemeral=True) as (stage, _, transport):
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, "interactions.followup")
        result = await say(transport, model(THREE), settings=LINES)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert [(dropped.text, dropped.reason) for dropped in result.dropped] == [("Two.", "uncertain")]


@timeless
async def test_files_carry_their_alt_text() -> None:
    async with asked() as (stage, _, transport):
        await transport.send(Message("Look:", files=(Attachment("../a.txt", b"abc", "three letters"),)))
        await transport.send(Message("", files=(Attachment("b.txt", b"def"),)))
        first, second = (message.attachments[0] for message in stage.sent)

        assert (first.filename, first.content, first.description) == ("a.txt", b"abc", "three letters")
        assert (second.filename, second.content) == ("b.txt", b"def")


@timeless
async def test_another_voice_stands_in_front() -> None:
    async with asked() as (stage, _, transport):
        await transport.send(Message("Hi.", speaker=Speaker("Luna")))
        await transport.send(Message("Still me.", speaker=Speaker("Luna")))

        assert stage.texts == ["**Luna:** Hi.", "Still me."]


@timeless
async def test_it_is_a_reliable_transport() -> None:
    async with asked() as (_, __, interaction):
        transport: Transport = interaction

        assert isinstance(transport, ReliableTransport)


def as_fields(switches: TwinOptions) -> dict[str, Any]:
    return {name: getattr(switches, name) for name in TwinOptions.__dataclass_fields__}


# --- Which transport an object of discord.py is --------------------------------------------------------


async def greeting() -> AsyncIterator[str]:
    yield "Hi @everyone!\n"
    yield "Bye."


@timeless
async def test_a_channel_is_sent_to_as_it_is_and_pings_nobody() -> None:
    async with on_stage() as stage:
        result = await say(stage.find(), greeting(), settings=LINES)

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert stage.twin.log.pinged == set()
        assert result.text == "Hi @everyone!\nBye."


@timeless
async def test_a_message_is_replied_to() -> None:
    async with on_stage() as stage:
        message = await stage.hear("Hello?")
        await say(message, greeting(), settings=LINES)

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert [one.draft.reply_ids for one in stage.sent] == [(message.channel.id, message.id), None]


@timeless
async def test_an_interaction_is_answered() -> None:
    async with on_stage() as stage:
        tree = app_commands.CommandTree(stage.client)
        done = asyncio.Event()

        @tree.command(description="ask something")
        async def question(interaction: discord.Interaction[Any]) -> None:
            await say(interaction, greeting(), settings=LINES)
            done.set()

        await tree.sync()
        asked = stage.twin.slash("question")
        await done.wait()

        assert stage.texts == ["Hi @everyone!", "Bye."]
        assert asked.original is stage.sent[0]


async def context(stage: Stage, text: str) -> commands.Context[Any]:
    """What a command of discord.ext.commands is called with."""
    message = await stage.hear(text)
    bot = commands.Bot("!", intents=discord.Intents.none())
    return commands.Context(message=message, bot=bot, view=commands.view.StringView(text))


@timeless
async def test_the_context_of_a_command_is_its_message() -> None:
    async with on_stage() as stage:
        place = await context(stage, "!ask")
        await say(place, greeting(), settings=LINES)

        assert [one.draft.reply_ids for one in stage.sent] == [(place.channel.id, place.message.id), None]


@timeless
async def test_a_user_gets_a_direct_message() -> None:
    async with on_stage() as stage:
        user = (await stage.hear("Hello?")).author
        result = await say(user, greeting(), settings=LINES)

        assert [receipt.message.content for receipt in result.receipts] == ["Hi @everyone!", "Bye."]
        assert stage.texts == []


@timeless
async def test_turn_for_a_user_without_a_channel_is_refused_with_advice() -> None:
    async with on_stage() as stage:
        user = (await stage.hear("Hello?")).author

        with pytest.raises(TypeError, match=r"write `Turn\(await user.create_dm\(\)"):
            Turn(user, greeting())


@timeless
async def test_what_is_no_place_for_words_is_refused() -> None:
    async with on_stage() as stage:
        channel: Any = stage.find()
        hook = discord.Webhook.partial(1, "x" * 60, client=stage.client)

        with pytest.raises(TypeError, match=r"discord\.Guild: give it a text channel"):
            await say(channel.guild, greeting())
        with pytest.raises(TypeError, match=r"discord\.Webhook: .*Webhooks\(client\)"):
            await say(hook, greeting())  # type: ignore[arg-type]
        _, command = await ask(stage)
        with pytest.raises(TypeError, match=r"discord\.Webhook: .*interaction"):
            await say(command.followup, greeting())  # type: ignore[arg-type]

        assert stage.texts == []


@timeless
async def test_forum_is_distinguished_from_its_threads() -> None:
    async with on_stage() as stage:
        channel: Any = stage.find()
        values: Any = {"id": "77", "type": 15, "name": "help", "position": 1}
        forum = discord.ForumChannel(state=channel._state, guild=channel.guild, data=values)

        with pytest.raises(TypeError, match="holds threads: give it one of them"):
            await say(forum, greeting())  # type: ignore[arg-type]


async def test_a_channel_of_a_closed_client_is_a_delivery_error() -> None:
    async with on_stage() as stage:
        channel = stage.find()
        await stage.client.close()

        with pytest.raises(DeliveryError, match="client that is closed"):
            await say(channel, greeting())

        assert stage.texts == []


@timeless
async def test_what_is_not_of_discord_py_is_nobodys_business_here() -> None:
    assert find_transport(object()) is None
    async with on_stage() as stage:
        assert isinstance(find_transport(stage.find()), DiscordChannel)


# --- One message that grows ---

LIVE = Settings(delivery="live", live_limit=4000)
GROWING = [f"Line {number} of this long answer.\n" for number in range(100)]
WHOLE = "".join(GROWING).strip()


async def slowly(pause: float = 0.1) -> AsyncIterator[str]:
    for line in GROWING:
        await asyncio.sleep(pause)
        yield line


def words(message: Any) -> str:
    return message.content or "".join(one.get("content", "") for one in message.draft.components)


@pytest.mark.parametrize("private", [False, True])
def test_a_reply_grows_in_the_message_that_waits_for_it(private: bool) -> None:
    @timeless
    async def scene() -> None:
        async with asked(ephemeral=private) as (stage, seen, transport):
            frames: list[str] = []
            stage.twin.state.observe(lambda event: frames.append(words(event.message or seen.original)))
            result = await say(transport, slowly(), settings=LIVE)

            assert [words(one) for one in stage.sent] == [WHOLE]
            assert seen.original is stage.sent[0]
            assert [one.is_ephemeral for one in stage.sent] == [private]
            assert len(set(frames)) > 5
            assert all(WHOLE.startswith(frame) for frame in frames)
            assert result.receipts[0].changes == ("v2",)
            assert [one.status for one in stage.twin.log.requests if one.status >= 400] == []

    scene()


@timeless
async def test_a_reply_whose_edits_are_lost_is_said_once() -> None:
    async with asked() as (stage, _, transport):
        for kind in (FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.STATUS):
            stage.twin.inject_fault(kind, "webhooks.message", after=3, times=2)
        await say(transport, slowly(), settings=LIVE)

        assert [words(one) for one in stage.sent] == [WHOLE]


@timeless
async def test_a_reply_that_grows_longer_than_fourteen_minutes_goes_on_in_the_channel() -> None:
    async with asked() as (stage, _, transport):
        # Before that, it goes on in follow-ups that people notice.
        result = await say(transport, slowly(9.5), settings=LIVE)

        assert "\n".join(words(one) for one in stage.sent) == WHOLE
        assert [one.id for one in result.receipts] == [one.id for one in stage.sent]
        assert "channel" in result.receipts[-1].changes
        assert result.receipts[0].changes == ()
