"""discord.py, unchanged, lives on the twin as it does on Discord."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest
from discord import app_commands

from discord_twin import FaultKind, ScaledClock, Twin, TwinOptions
from discord_twin.discord_py import connect_discord_py
from twin.conftest import FREE
from twin.flow import play

Interaction = discord.Interaction[discord.Client]


class Client(discord.Client):
    """A client that does not wait five seconds before it identifies again."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        pass


def make_client() -> discord.Client:
    intents = discord.Intents.default()
    intents.message_content = True
    return Client(intents=intents, guild_ready_timeout=0.05)


@asynccontextmanager
async def running(twin: Twin, client: discord.Client | None = None) -> AsyncIterator[discord.Client]:
    client = client or make_client()
    with connect_discord_py(twin):
        async with client:
            task = asyncio.create_task(client.start(twin.token))
            try:
                ready = asyncio.create_task(twin.ready())
                await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
                if not task.done():
                    await client.wait_until_ready()
                yield client
            finally:
                await client.close()
                await asyncio.gather(task, return_exceptions=True)


def make_peer() -> discord.Client:
    client = make_client()
    tree = app_commands.CommandTree(client)

    @tree.command(description="ask something")
    async def ask(interaction: Interaction, question: str) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"answer to {question}")
        await interaction.followup.send("and more")

    @client.event
    async def on_ready() -> None:
        await tree.sync()

    @client.event
    async def on_message(message: discord.Message) -> None:
        if message.author.bot:
            return
        assert isinstance(message.channel, discord.TextChannel)
        await message.channel.typing()
        file = discord.File(io.BytesIO(b"file content"), "notes.txt", description="some notes")
        reply = await message.reply(f"you said {message.content}", file=file)
        assert await reply.attachments[0].read() == b"file content"
        await reply.edit(content="edited")
        webhook = await message.channel.create_webhook(name="Luna")
        sent = await webhook.send("as Luna", username="Luna the cat", wait=True)
        await sent.edit(content="as Luna, edited")

    return client


async def test_discord_py_completes_the_flow() -> None:
    async with Twin() as twin, running(twin, make_peer()):
        await play(twin)


async def test_direct_messages_go_both_ways() -> None:
    async with Twin() as twin, running(twin) as client:
        received = asyncio.create_task(client.wait_for("message", timeout=5))
        await asyncio.sleep(0)
        twin.say(twin.dm(), twin.user, "psst")
        message = await received
        await message.channel.send("yes?")

        assert (await twin.next_message(twin.dm())).content == "yes?"


async def test_a_button_and_a_modal_reach_the_bot_and_back() -> None:
    class Form(discord.ui.Modal, title="Form"):
        name: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(label="Name")

        async def on_submit(self, interaction: discord.Interaction) -> None:
            await interaction.response.send_message(f"hello {self.name.value}", ephemeral=True)

    class Buttons(discord.ui.View):
        @discord.ui.button(label="Go", custom_id="go")
        async def go(self, interaction: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
            await interaction.response.send_modal(Form())

    async with Twin() as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        await channel.send("press", view=Buttons())
        message = await twin.next_message()
        pressed = twin.press(message, "go")
        await twin.until(lambda: pressed.callback)
        assert pressed.callback is not None
        (row,) = pressed.callback["data"]["components"]
        field = row["components"][0] if "components" in row else row["component"]
        twin.submit(pressed, {field["custom_id"]: "Ada"})

        answer = await twin.next_message()
        assert (answer.content, answer.is_ephemeral) == ("hello Ada", True)


async def test_threads_are_created_and_written_to() -> None:
    async with Twin() as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        message = await channel.send("start")
        thread = await message.create_thread(name="talk")
        await thread.send("inside")

        assert twin.state.channels[thread.id].texts == ["inside"]


@pytest.mark.parametrize("leaky", [True, False])
async def test_headers_are_true_so_that_a_client_with_one_send_in_flight_is_never_refused(
    leaky: bool,
) -> None:
    async with Twin(TwinOptions(leaky=leaky), clock=ScaledClock(20)) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        for number in range(20):
            await channel.send(str(number))

        assert len(twin.channel.messages) == 20
        assert twin.log.count(status=429) == 0


async def test_parallel_sends_are_never_refused_where_windows_are_fixed() -> None:
    # Where buckets leak, discord.py believes the first of five headers and comes back too early.
    async with Twin(TwinOptions(leaky=False), clock=ScaledClock(20)) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        await asyncio.gather(*(channel.send(str(number)) for number in range(20)))

        assert len(twin.channel.messages) == 20
        assert twin.log.count(status=429) == 0


async def test_a_429_is_waited_for_and_sent_once() -> None:
    async with Twin(clock=ScaledClock(20)) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        twin.limits.drain("messages.create", str(twin.channel.id))
        await channel.send("late")

        assert [one.status for one in twin.log.of("messages.create")] == [429, 200]
        assert twin.channel.texts == ["late"]


async def test_a_ban_by_cloudflare_is_raised_at_once() -> None:
    async with Twin(FREE) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        twin.inject_fault(FaultKind.CLOUDFLARE_429)
        with pytest.raises(discord.HTTPException) as raised:
            await channel.send("x")

        assert raised.value.status == 429


async def test_a_lost_answer_with_a_nonce_is_recovered_by_sending_again() -> None:
    async with Twin(FREE) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await channel.send("once", nonce="n1")
        again = await channel.send("once", nonce="n1")

        assert list(twin.channel.messages) == [again.id]


async def test_a_deleted_webhook_is_not_found() -> None:
    async with Twin(FREE) as twin, running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        webhook = await channel.create_webhook(name="luna")
        twin.inject_fault(FaultKind.WEBHOOK_DELETE)
        with pytest.raises(discord.NotFound) as raised:
            await webhook.send("x", wait=True)

        assert raised.value.code == 10015


async def test_an_invalid_session_is_identified_again() -> None:
    async with Twin(FREE) as twin, running(twin):
        twin.gateway.invalidate(resumable=False)
        await twin.until(lambda: twin.gateway.identifies == 2)

        assert twin.gateway.resumes == 0
