"""Responses that are not Discord's: a proxy's page, an empty success, another message. Nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import app_commands

from delivery.stage import Stage, on_stage
from discord_twin import FaultKind
from discord_twin.state.message_serializers import serialize_message
from streamcord import AnswerContext, Degree, Persona, Settings, TurnResult, say
from streamcord._delivery.transport import Transport
from streamcord._discord.channel import DiscordChannel
from streamcord._discord.interaction import DiscordInteraction
from streamcord._discord.webhooks.sender import Webhooks
from virtual_time import covers, timeless

THREE = "One.\nTwo.\nThree."
LONG = "\n".join(f"Line {number} of this long answer." for number in range(40))
LINES = Settings(degree=Degree.LIGHT)
LIVE = Settings(delivery="live")
ALTER = AnswerContext(persona=Persona("Luna", alter=True))
CREATES = ("messages.create", "webhooks.execute", "interactions.followup", "interactions.message")
EDITS = ("messages.edit", "webhooks.message", "interactions.message")
FAKE_BODIES = {
    "empty": "",
    "page": "<html>Welcome to the hotel's network</html>",
    "list": "[]",
    "error object": json.dumps({"message": "upstream", "code": 0}),
    "half a message": '{"id": "12',
}
every_kind = pytest.mark.parametrize("kind", ["bot", "persona", "slash"])


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text
        await asyncio.sleep(0.2)


async def find_transport(stage: Stage, kind: str) -> Transport:
    """Return the transport for an answer of the bot, of a persona, or to a slash command."""
    if kind != "slash":
        return stage.channel(webhooks=Webhooks(stage.client) if kind == "persona" else None)
    tree = app_commands.CommandTree(stage.client)
    caught: asyncio.Future[discord.Interaction[Any]] = asyncio.get_running_loop().create_future()

    @tree.command(description="ask something")
    async def question(interaction: discord.Interaction[Any]) -> None:
        caught.set_result(interaction)

    await tree.sync()
    stage.twin.slash("question")
    return DiscordInteraction(await caught)


async def answer(stage: Stage, kind: str, settings: Settings = LINES) -> TurnResult:
    context = ALTER if kind == "persona" else AnswerContext()
    source = model(*LONG.splitlines(keepends=True)) if settings is LIVE else model(THREE)
    return await say(await find_transport(stage, kind), source, settings=settings, context=context)


def assert_is_whole(stage: Stage, result: TurnResult, text: str = THREE) -> None:
    """Check that everything is in the channel once, in order, and has its receipt."""
    assert "\n".join(stage.texts) == text
    assert [one.id for one in result.receipts] == [one.id for one in stage.sent]
    assert covers(result, len(text))


@every_kind
@pytest.mark.parametrize("body", FAKE_BODIES)
@pytest.mark.parametrize("after", [0, 1])
def test_success_without_a_message_is_sent_again(kind: str, body: str, after: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.FAKE_SUCCESS, *CREATES, after=after, body=FAKE_BODIES[body])
            result = await answer(stage, kind)

            assert stage.twin.faults.fired[FaultKind.FAKE_SUCCESS] == 1
            assert_is_whole(stage, result)

    scenario()


@every_kind
@pytest.mark.parametrize("body", FAKE_BODIES)
def test_edit_that_was_not_confirmed_is_made_again(kind: str, body: str) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(
                FaultKind.FAKE_SUCCESS, *EDITS, after=kind == "slash", body=FAKE_BODIES[body]
            )
            result = await answer(stage, kind, LIVE)

            assert stage.twin.faults.fired[FaultKind.FAKE_SUCCESS] == 1
            assert_is_whole(stage, result, LONG)

    scenario()


@every_kind
@pytest.mark.parametrize("stored", [True, False])
def test_success_that_names_a_message_of_another_channel_is_checked(kind: str, stored: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(channels=2) as stage:
            other = await stage.hear("not yours", stage.others[0])
            body = {"id": str(other.id), "channel_id": str(other.channel.id), "content": "One.", "nonce": "7"}
            lie = json.dumps(body | {"author": {"id": "5", "username": "x", "discriminator": "0"}})
            fault = FaultKind.ACK_GARBLED if stored else FaultKind.FAKE_SUCCESS
            stage.twin.inject_fault(fault, *CREATES, body=lie)
            result = await answer(stage, kind)

            assert_is_whole(stage, result)
            assert stage.others[0].texts == ["not yours"]

    scenario()


@every_kind
@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413])
@pytest.mark.parametrize("after", [0, 1])
def test_refusal_with_a_page_is_tried_again(kind: str, status: int, after: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.HTML_STATUS, *CREATES, after=after, status=status)
            result = await answer(stage, kind)

            assert stage.twin.faults.fired[FaultKind.HTML_STATUS] == 1
            assert_is_whole(stage, result)

    scenario()


@every_kind
@pytest.mark.parametrize("status", [400, 403, 404])
def test_edit_refused_with_a_page_is_made_again(kind: str, status: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.HTML_STATUS, *EDITS, after=kind == "slash", status=status)
            result = await answer(stage, kind, LIVE)

            assert stage.twin.faults.fired[FaultKind.HTML_STATUS] == 1
            assert_is_whole(stage, result, LONG)

    scenario()


@every_kind
@pytest.mark.parametrize("carried_out", [True, False])
def test_cached_message_of_the_same_channel_is_no_proof(kind: str, carried_out: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            transport = await find_transport(stage, kind)
            context = ALTER if kind == "persona" else None
            earlier = await say(transport, model("An earlier answer."), settings=LINES, context=context)
            shown = stage.twin.channel.messages[earlier.receipts[0].id]
            # A cache has the message as anybody reads it, without the nonce of its creation.
            body = serialize_message(stage.twin.state, shown)
            body.pop("nonce", None)
            stage.twin.inject_fault(
                FaultKind.ACK_GARBLED if carried_out else FaultKind.FAKE_SUCCESS,
                *CREATES,
                body=json.dumps(body),
                after=1,
            )
            result = await say(transport, model(THREE), settings=LINES, context=context)

            # Nothing is missing, and nothing is there twice.
            texts = [one.content for one in stage.twin.channel.messages.values() if one.by_machine]
            assert sorted(texts) == sorted(["An earlier answer.", *THREE.splitlines()])
            assert covers(result, len(THREE))
            assert stage.twin.faults.pending == []

    scenario()


@timeless
async def test_message_that_was_found_keeps_the_only_stop_button() -> None:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="stop", custom_id="stop"))
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ACK_GARBLED, body="null")
        place: Any = stage.client.get_channel(stage.twin.channel.id)
        await say(DiscordChannel(place, view=view), model(THREE), settings=LINES)
        with_view = [one.content for one in stage.twin.channel.messages.values() if one.draft.components]

    assert with_view == ["One."]
